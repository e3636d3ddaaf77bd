// Memory that the ranks of a node share: loads and stores in one another's parts, flags that are waited for without any
// call of MPI, atomics of the processor, and a second window over the same memory.
#include "memory.h"

#include <sched.h>

enum { most = 5000 };
struct FOR_A_WINDOW part {
  int values[most];
  long counter;
  int flag;
};
static MPI_Win parts_win, whole_win, over_parts;
static struct part* part_of[64];         // everybody's, as this rank sees it
static int* whole;                       // rank 0's alone

/// The same addresses as at the beginning.
static void same_places(void) {
  MPI_Aint size;
  int unit;
  void* base;
  for (int r = 0; r < ranks; ++r) {
    OK(MPI_Win_shared_query(parts_win, r, &size, &unit, &base));
    CHECK(base == part_of[r] && size == (MPI_Aint)sizeof(struct part) && unit == 1, "part of %d", r);
  }
  OK(MPI_Win_shared_query(whole_win, MPI_PROC_NULL, &size, &unit, &base));
  CHECK(base == whole && size == (MPI_Aint)(sizeof(int) * most) && unit == (int)sizeof(int), "the whole");
}

/// The right rank's part is written, this one's is read.
static void loads_and_stores(int k) {
  const int n = 1 + k * 97 % most;
  fill(part_of[right]->values, n, me, right, k);
  OK(MPI_Win_sync(parts_win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_sync(parts_win));
  SAME(part_of[me]->values, n, left, me, k);
  __atomic_fetch_add(&part_of[0]->counter, me + 1, __ATOMIC_SEQ_CST);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

/// One after the other, without a call of MPI between.
static void pass_a_flag(int k) {
  int* const flag = &part_of[0]->flag;
  const int turn = k * ranks + me;
  while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) != turn) sched_yield();
  whole[me] = me == 0 ? k : whole[me - 1] + 1;
  __atomic_store_n(flag, turn + 1, __ATOMIC_RELEASE);
}

/// Puts in the window over the same memory are seen by loads.
static void through_both_windows(int k) {
  int x = me * 100 + k, y = -1;
  OK(MPI_Win_fence(0, over_parts));
  OK(MPI_Put(&x, 1, MPI_INT, right, AT(part, values), 1, MPI_INT, over_parts));
  OK(MPI_Win_fence(0, over_parts));
  OK(MPI_Win_sync(parts_win));
  CHECK(part_of[me]->values[0] == left * 100 + k, "%d, step %d", part_of[me]->values[0], k);
  OK(MPI_Get(&y, 1, MPI_INT, left, AT(part, values), 1, MPI_INT, parts_win));
  OK(MPI_Win_flush(left, parts_win));
  CHECK(y == part_of[left]->values[0], "%d, step %d", y, k);
  OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, over_parts));
}

/// Made, used and freed in a step.
static void for_a_moment(int k) {
  MPI_Win w;
  MPI_Info info;
  int *base, unit, *of_left;
  MPI_Aint size;
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "alloc_shared_noncontig", k % 2 ? "true" : "false"));
  OK(MPI_Win_allocate_shared((MPI_Aint)sizeof(int) * (k % 3 ? 16 + 16 * me : 16), sizeof(int), info, MPI_COMM_WORLD, &base, &w));
  OK(MPI_Info_free(&info));
  OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, w));
  base[3] = val(me, 0, k, 3);
  OK(MPI_Win_sync(w));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_sync(w));
  OK(MPI_Win_shared_query(w, left, &size, &unit, &of_left));
  CHECK(of_left[3] == val(left, 0, k, 3), "step %d", k);
  OK(MPI_Win_unlock_all(w));
  OK(MPI_Win_free(&w));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  CHECK(ranks <= 64);
  struct part* base;
  int* first;
  MPI_Aint size;
  int unit;
  OK(MPI_Win_allocate_shared(sizeof(struct part), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &base, &parts_win));
  OK(MPI_Win_allocate_shared(me == 0 ? (MPI_Aint)(sizeof(int) * most) : 0, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &first,
                             &whole_win));
  for (int r = 0; r < ranks; ++r) OK(MPI_Win_shared_query(parts_win, r, &size, &unit, &part_of[r]));
  OK(MPI_Win_shared_query(whole_win, 0, &size, &unit, &whole));
  CHECK(part_of[me] == base);
  memset(base, 0, sizeof *base);
  OK(MPI_Win_create(base, sizeof *base, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &over_parts));
  OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, parts_win));
  OK(MPI_Win_lock_all(0, whole_win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int k = 0; k < steps; ++k) {
    same_places();
    loads_and_stores(k);
    through_both_windows(k);
    for_a_moment(k);
    if (me == k % ranks) step(k);                    // the others wait for the flag, or in the barrier
    else if (me == 0) pause_ms = -pause_ms, step(k), pause_ms = -pause_ms;
    pass_a_flag(k);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    CHECK(whole[ranks - 1] == k + ranks - 1, "%d, step %d", whole[ranks - 1], k);
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  CHECK(part_of[0]->counter == (long)steps * ranks * (ranks + 1) / 2, "%ld", part_of[0]->counter);
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_unlock_all(whole_win));
  OK(MPI_Win_unlock_all(parts_win));
  OK(MPI_Win_free(&over_parts));
  OK(MPI_Win_free(&whole_win));
  OK(MPI_Win_free(&parts_win));
  return finish();
}
