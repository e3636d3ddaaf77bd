// Locks: one window is locked by all as long as the program lives; in another all ranks want exclusive locks of one target;
// a third is locked by one rank across a step, while the others wait for it.
#include "alone.h"

enum { most = 8000, few = 8 };
struct memory {
  long counter, turns;
  int put[most], shown[most], one_each[64];
};
static struct memory own FOR_A_WINDOW, second FOR_A_WINDOW;
static struct memory* theirs;
static MPI_Win for_life, contended, passed_on;
static int in[most], out[most];

/// Without a lock of this step's: the one that was taken when the program began.
static void under_the_lock_of_life(int k) {
  const int n = k % 5 == 0 ? most : 1 + k % 100;
  long one = 1, before = -1;
  fill(out, n, me, right, k);
  OK(MPI_Put(out, n, MPI_INT, right, AT(memory, put), n, MPI_INT, for_life));
  OK(MPI_Fetch_and_op(&one, &before, MPI_LONG, 0, AT(memory, turns), MPI_SUM, for_life));
  switch (k % 4) {
    case 0: OK(MPI_Win_flush(right, for_life)); OK(MPI_Win_flush(0, for_life)); break;
    case 1: OK(MPI_Win_flush_all(for_life)); break;
    case 2: OK(MPI_Win_flush_local(right, for_life)); OK(MPI_Win_flush_all(for_life)); break;
    case 3: OK(MPI_Win_flush_local_all(for_life)); OK(MPI_Win_flush_all(for_life)); break;
  }
  CHECK(before >= (long)k * ranks && before < (long)(k + 1) * ranks, "%ld, step %d", before, k);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_sync(for_life));
  SAME(theirs->put, n, left, me, k);
  OK(MPI_Get(in, n, MPI_INT, left, AT(memory, put), n, MPI_INT, for_life));
  OK(MPI_Win_flush(left, for_life));
  CHECK(same(in, n, (left + ranks - 1) % ranks, left, k), "step %d", k);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/// Reads, adds and writes back, which is only right if nobody else does meanwhile.
static void add_one(int target) {
  long now = -1;
  OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, contended));
  OK(MPI_Get(&now, 1, MPI_LONG, target, AT(memory, counter), 1, MPI_LONG, contended));
  OK(MPI_Win_flush(target, contended));
  ++now;
  OK(MPI_Put(&now, 1, MPI_LONG, target, AT(memory, counter), 1, MPI_LONG, contended));
  OK(MPI_Win_unlock(target, contended));
}
/// Of all targets; readers share, alone or with a lock of all.
static void read_counters(int k) {
  long all[64] = {0};
  CHECK(ranks <= 64);
  if (k % 2) OK(MPI_Win_lock_all(0, contended));
  for (int r = 0; r < ranks; ++r) {
    if (k % 2 == 0) OK(MPI_Win_lock(MPI_LOCK_SHARED, r, 0, contended));
    OK(MPI_Get(&all[r], 1, MPI_LONG, r, AT(memory, counter), 1, MPI_LONG, contended));
  }
  for (int r = 0; r < ranks && k % 2 == 0; ++r) OK(MPI_Win_unlock(r, contended));
  if (k % 2) OK(MPI_Win_unlock_all(contended));
  for (int r = 0; r < ranks; ++r) {
    const long expected = (long)few * ranks * ((k + ranks - r) / ranks);
    CHECK(all[r] == expected, "counter of %d: %ld, not %ld, step %d", r, all[r], expected, k);
    got(&all[r], sizeof all[r]);
  }
}
static void contend(int k) {
  for (int i = 0; i < few; ++i) add_one(k % ranks);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  read_counters(k);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/// The line of step k, without its pause.
static void tell_step(int k) {
  const int pause = pause_ms;
  pause_ms = 0;
  step(k);
  pause_ms = pause;
}

/// One rank has the lock when the step ends; the others come for it while that rank pauses.
static void pass_on(int k) {
  const int target = (k + 1) % ranks, holder = k % ranks;
  int tell = k;
  if (me == holder) OK(MPI_Win_lock(k % 3 == 2 ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, passed_on));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (me == holder) {
    step(k);
    OK(MPI_Put(&tell, 1, MPI_INT, target, AT(memory, one_each) + (MPI_Aint)sizeof(int) * me, 1, MPI_INT, passed_on));
    OK(MPI_Win_unlock(target, passed_on));
  } else {
    tell_step(k);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, passed_on));
    OK(MPI_Put(&tell, 1, MPI_INT, target, AT(memory, one_each) + (MPI_Aint)sizeof(int) * me, 1, MPI_INT, passed_on));
    OK(MPI_Win_unlock(target, passed_on));
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (me != target) return;
  OK(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, passed_on));
  for (int r = 0; r < ranks; ++r) CHECK(second.one_each[r] == k, "of %d: %d, step %d", r, second.one_each[r], k);
  OK(MPI_Win_unlock(me, passed_on));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  begin_alone();
  theirs = allocate_window(sizeof *theirs, 1, &for_life);
  contended = create_window(&own, sizeof own, 1);
  passed_on = create_window(&second, sizeof second, 1);
  OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, for_life));
  for (int k = 0; k < steps; ++k) {
    under_the_lock_of_life(k);
    contend(k);
    use_alone(k);
    pass_on(k);
  }
  OK(MPI_Win_unlock_all(for_life));
  OK(MPI_Win_free(&passed_on));
  OK(MPI_Win_free(&contended));
  OK(MPI_Win_free(&for_life));
  end_alone();
  return finish();
}
