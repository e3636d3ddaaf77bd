// Atomics: compare-and-swap, fetch-and-op and get-accumulate, of this rank's own memory too, with all operations and
// several types. Locks and queues made of them work across a checkpoint. A third argument, `others`: no compare-and-swap in
// which Open MPI 4.1.4 crashes, of this rank's own memory and of 8 bytes.
#include "memory.h"

enum { free_lock = -1, few = 6, nobody = -1 };
struct memory {
  int lock, next, guarded, tail;
  long long big, ticket;
  double real;
  unsigned char byte;
  int folded[few];
};
static struct memory own FOR_A_WINDOW;
static struct memory* theirs;
static MPI_Win over_own, over_theirs;
static int others;

static int swap_int(MPI_Win w, int target, MPI_Aint at, int expected, int desired) {
  int before = -2;
  OK(MPI_Compare_and_swap(&desired, &expected, &before, MPI_INT, target, at, w));
  OK(MPI_Win_flush(target, w));
  return before;
}
static int fetch_int(MPI_Win w, int target, MPI_Aint at, int value, MPI_Op op) {
  int before = -2;
  OK(MPI_Fetch_and_op(&value, &before, MPI_INT, target, at, op, w));
  OK(MPI_Win_flush(target, w));
  return before;
}

/// A lock made of compare-and-swap, around a number that is read and written.
static void spin_lock(MPI_Win w, int k) {
  const int target = k % ranks;
  if (others && target == me) return;
  while (swap_int(w, target, AT(memory, lock), free_lock, me) != free_lock) {}
  const int before = fetch_int(w, target, AT(memory, guarded), 0, MPI_NO_OP);
  CHECK(fetch_int(w, target, AT(memory, guarded), before + 1, MPI_REPLACE) == before, "step %d", k);
  CHECK(swap_int(w, target, AT(memory, lock), me, free_lock) == me, "step %d", k);
}

/// A queue of those who wait, as MCS made it: the tail at rank 0, each one's successor at itself.
static void queue_lock(MPI_Win w, struct memory* m, int k) {
  int next;
  if (others && me == 0) return;
  __atomic_store_n(&m->next, nobody, __ATOMIC_SEQ_CST);
  OK(MPI_Win_sync(w));
  const int before = fetch_int(w, 0, AT(memory, tail), me, MPI_REPLACE);
  if (before != nobody) {
    fetch_int(w, me, AT(memory, lock), 1, MPI_REPLACE);
    fetch_int(w, before, AT(memory, next), me, MPI_REPLACE);
    while (fetch_int(w, me, AT(memory, lock), 0, MPI_NO_OP) == 1) {}
  }
  long long one = 1, turn;
  OK(MPI_Get_accumulate(&one, 1, MPI_LONG_LONG, &turn, 1, MPI_LONG_LONG, 0, AT(memory, ticket), 1, MPI_LONG_LONG, MPI_SUM, w));
  OK(MPI_Win_flush(0, w));
  CHECK(turn >= (long long)k * (ranks - others) && turn < (long long)(k + 1) * (ranks - others), "%lld, step %d", turn, k);
  if (swap_int(w, 0, AT(memory, tail), me, nobody) == me) return;
  while ((next = fetch_int(w, me, AT(memory, next), 0, MPI_NO_OP)) == nobody) {}
  fetch_int(w, next, AT(memory, lock), 0, MPI_REPLACE);
}

static void operations(MPI_Win w, struct memory* m, int k) {
  static const struct { const char* name; MPI_Op op; } all[few] = {
      {"sum", MPI_SUM}, {"max", MPI_MAX}, {"or", MPI_BOR}, {"xor", MPI_BXOR}, {"and", MPI_BAND}, {"min", MPI_MIN}};
  const int from[few] = {1, 0, 0, 5, -1, 1 << 20};
  const int value = me + k + 1;
  for (int i = 0; i < few; ++i) m->folded[i] = from[i];
  m->big = (long long)k << 40, m->real = 0.5, m->byte = (unsigned char)k;
  OK(MPI_Win_sync(w));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < few; ++i) {
      int before;
      OK(MPI_Fetch_and_op(&value, &before, MPI_INT, r, AT(memory, folded) + (MPI_Aint)sizeof(int) * i, all[i].op, w));
      OK(MPI_Win_flush_local(r, w));
    }
  // Only the left rank swaps these of this rank's.
  long long expected = (long long)k << 40, desired = expected + 1, before = -1;
  if (others) OK(MPI_Fetch_and_op(&desired, &before, MPI_LONG_LONG, right, AT(memory, big), MPI_REPLACE, w));
  else OK(MPI_Compare_and_swap(&desired, &expected, &before, MPI_LONG_LONG, right, AT(memory, big), w));
  const double half = 0.25;
  double was = 0;
  OK(MPI_Fetch_and_op(&half, &was, MPI_DOUBLE, right, AT(memory, real), MPI_SUM, w));
  const unsigned char wrong_guess = (unsigned char)(k + 1), no = 77;
  unsigned char byte = 0;
  OK(MPI_Compare_and_swap(&no, &wrong_guess, &byte, MPI_UNSIGNED_CHAR, right, AT(memory, byte), w));
  OK(MPI_Win_flush_all(w));
  CHECK(before == expected && was == 0.5 && byte == (unsigned char)k, "%lld, %g, %d, step %d", before, was, byte, k);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_sync(w));
  int result[few] = {0};
  for (int i = 0; i < few; ++i) result[i] = from[i];
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < few; ++i) {
      int x = r + k + 1;
      OK(MPI_Reduce_local(&x, &result[i], 1, MPI_INT, all[i].op));
    }
  for (int i = 0; i < few; ++i) {
    CHECK(m->folded[i] == result[i], "%s: %d, not %d, step %d", all[i].name, m->folded[i], result[i], k);
    got_int(m->folded[i]);
  }
  CHECK(m->big == desired && m->real == 0.75 && m->byte == (unsigned char)k, "step %d", k);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  others = argc > 3 && strcmp(argv[3], "others") == 0;
  over_own = create_window(&own, sizeof own, 1);
  theirs = allocate_window(sizeof *theirs, 1, &over_theirs);
  own.lock = theirs->lock = free_lock;
  own.tail = theirs->tail = nobody;
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_lock_all(0, over_own));
  OK(MPI_Win_lock_all(0, over_theirs));
  for (int k = 0; k < steps; ++k) {
    spin_lock(over_own, k);
    step(k);
    queue_lock(over_theirs, theirs, k);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    operations(k % 2 ? over_own : over_theirs, k % 2 ? &own : theirs, k);
  }
  int guarded = 0;
  OK(MPI_Win_sync(over_own));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Reduce(&own.guarded, &guarded, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD));
  if (me == 0) CHECK(guarded == steps * (ranks - others), "%d", guarded);
  OK(MPI_Win_unlock_all(over_own));
  OK(MPI_Win_unlock_all(over_theirs));
  OK(MPI_Win_free(&over_own));
  OK(MPI_Win_free(&over_theirs));
  return finish();
}
