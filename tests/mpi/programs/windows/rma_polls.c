// A rank waits for a value that a peer writes: it looks at its memory, and calls nothing but a flush, with nothing of its own under
// way, as the events of coarrays do, or begins and ends epochs of locks without operations. The live MPI must work for the peer in
// these calls. MPI_Win_sync alone would not do with MPICH.
#include "memory.h"

enum { flushes = 4, ways = 6 };
struct memory {
  int events[ways], padding[10];
  double sums[ways];
};
static MPI_Win over_theirs, locked_by_turns;

static void look(MPI_Win w, int way) {
  switch (way) {
    case 0: OK(MPI_Win_flush(me, w)); break;
    case 1: OK(MPI_Win_flush_all(w)); break;
    case 2: OK(MPI_Win_flush_local(me, w)); break;
    case 3: OK(MPI_Win_flush_local_all(w)); break;
    case 4: OK(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, w)); OK(MPI_Win_unlock(me, w)); break;
    case 5: OK(MPI_Win_lock_all(0, w)); OK(MPI_Win_unlock_all(w)); break;
  }
  if (way < flushes) OK(MPI_Win_sync(w));
}

static void give(MPI_Win w, int way) {
  const int one = 1;
  const double half = 0.5;
  if (way >= flushes) OK(MPI_Win_lock(MPI_LOCK_SHARED, right, 0, w));
  OK(MPI_Accumulate(&half, 1, MPI_DOUBLE, right, AT(memory, sums[way]), 1, MPI_DOUBLE, MPI_SUM, w));
  OK(MPI_Win_flush(right, w));
  OK(MPI_Accumulate(&one, 1, MPI_INT, right, AT(memory, events[way]), 1, MPI_INT, MPI_SUM, w));
  OK(MPI_Win_flush(right, w));
  if (way >= flushes) OK(MPI_Win_unlock(right, w));
}
static void take(MPI_Win w, struct memory* m, int k, int way) {
  while (__atomic_load_n(&m->events[way], __ATOMIC_ACQUIRE) <= k) look(w, way);
  CHECK(m->sums[way] == 0.5 * (k + 1), "way %d, step %d: %f", way, k, m->sums[way]);
}

/// Around the ring, from rank 0: all the others wait for their turn.
static void pass(MPI_Win w, struct memory* m, int k, int way) {
  if (me == 0) give(w, way);
  take(w, m, k, way);
  if (me != 0) give(w, way);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  struct memory* const theirs = allocate_window(sizeof *theirs, 1, &over_theirs);
  struct memory* const others = allocate_window(sizeof *others, 1, &locked_by_turns);
  OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, over_theirs));
  for (int k = 0; k < steps; ++k) {
    for (int way = 0; way < flushes; ++way) pass(over_theirs, theirs, k, way);
    for (int way = flushes; way < ways; ++way) pass(locked_by_turns, others, k, way);
    step(k);
  }
  OK(MPI_Win_unlock_all(over_theirs));
  OK(MPI_Win_free(&over_theirs));
  OK(MPI_Win_free(&locked_by_turns));
  return finish();
}
