// A rank waits for a value that a peer writes, as the events of coarrays do: it looks at its memory, and calls nothing but a
// flush, with nothing of its own under way. The live MPI must work for the peer in this call. MPI_Win_sync alone would not do
// with MPICH.
#include "memory.h"

enum { ways = 4 };
struct memory {
  int events[ways], padding[12];
  double sums[ways];
};
static MPI_Win over_theirs;

static void look(MPI_Win w, int way) {
  switch (way) {
    case 0: OK(MPI_Win_flush(me, w)); break;
    case 1: OK(MPI_Win_flush_all(w)); break;
    case 2: OK(MPI_Win_flush_local(me, w)); break;
    case 3: OK(MPI_Win_flush_local_all(w)); break;
  }
  OK(MPI_Win_sync(w));
}

static void give(MPI_Win w, int way) {
  const int one = 1;
  const double half = 0.5;
  OK(MPI_Accumulate(&half, 1, MPI_DOUBLE, right, AT(memory, sums[way]), 1, MPI_DOUBLE, MPI_SUM, w));
  OK(MPI_Win_flush(right, w));
  OK(MPI_Accumulate(&one, 1, MPI_INT, right, AT(memory, events[way]), 1, MPI_INT, MPI_SUM, w));
  OK(MPI_Win_flush(right, w));
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
  OK(MPI_Win_lock_all(MPI_MODE_NOCHECK, over_theirs));
  for (int k = 0; k < steps; ++k) {
    for (int way = 0; way < ways; ++way) pass(over_theirs, theirs, k, way);
    step(k);
  }
  OK(MPI_Win_unlock_all(over_theirs));
  OK(MPI_Win_free(&over_theirs));
  return finish();
}
