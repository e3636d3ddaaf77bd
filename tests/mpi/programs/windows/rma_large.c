// The functions of windows with counts of MPI_Count, and displacement units that fit no int, in an epoch that lasts.
#include "memory.h"

enum { most = 64 };
static const MPI_Aint wide = (MPI_Aint)3 << 33;
static MPI_Win allocated, created, shared;
static int *memory, *part;
static int created_memory[most] FOR_A_WINDOW;

static void make(void) {
  const MPI_Aint bytes = sizeof(int) * most;
  OK(MPI_Win_allocate_c(bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &allocated));
  OK(MPI_Win_create_c(created_memory, bytes, wide, MPI_INFO_NULL, MPI_COMM_WORLD, &created));
  OK(MPI_Win_allocate_shared_c(bytes, wide, MPI_INFO_NULL, MPI_COMM_WORLD, &part, &shared));
  memset(memory, 0, (size_t)bytes);
  OK(MPI_Win_lock_all(0, allocated));
  OK(MPI_Win_lock_all(0, created));
  OK(MPI_Win_lock_all(0, shared));
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void unmake(void) {
  OK(MPI_Win_unlock_all(shared));
  OK(MPI_Win_unlock_all(created));
  OK(MPI_Win_unlock_all(allocated));
  OK(MPI_Win_free(&shared));
  OK(MPI_Win_free(&created));
  OK(MPI_Win_free(&allocated));
}

/// The right rank's memory, beginning with half of it: put, added to, got.
static void move(int k) {
  const MPI_Count n = 1 + k % (most / 2);
  const MPI_Aint half = most / 2;
  int to[most], from[most], sum[most];
  MPI_Request r;
  fill(to, (int)n, me, right, k);
  OK(MPI_Put_c(to, n, MPI_INT, right, 0, n, MPI_INT, allocated));
  OK(MPI_Rput_c(to, n, MPI_INT, right, half, n, MPI_INT, allocated, &r));
  step(k);
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  OK(MPI_Win_flush(right, allocated));
  OK(MPI_Accumulate_c(to, n, MPI_INT, right, 0, n, MPI_INT, MPI_SUM, allocated));
  OK(MPI_Raccumulate_c(to, n, MPI_INT, right, half, n, MPI_INT, MPI_REPLACE, allocated, &r));
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  OK(MPI_Win_flush(right, allocated));
  OK(MPI_Get_accumulate_c(to, n, MPI_INT, from, n, MPI_INT, right, half, n, MPI_INT, MPI_NO_OP, allocated));
  OK(MPI_Rget_accumulate_c(NULL, 0, MPI_INT, sum, n, MPI_INT, right, 0, n, MPI_INT, MPI_NO_OP, allocated, &r));
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  OK(MPI_Win_flush(right, allocated));
  for (int i = 0; i < n; ++i) CHECK(sum[i] == 2 * to[i], "%d, step %d", sum[i], k);
  SAME(from, (int)n, me, right, k);
  OK(MPI_Get_c(sum, n, MPI_INT, right, half, n, MPI_INT, allocated));
  OK(MPI_Rget_c(from, n, MPI_INT, right, half, n, MPI_INT, allocated, &r));
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  OK(MPI_Win_flush_local(right, allocated));
  CHECK(memcmp(sum, from, sizeof(int) * (size_t)n) == 0, "step %d", k);
}

/// A unit of more than 4 GB, which only the first displacement fits.
static void wide_units(int k) {
  int x = val(me, right, k, 0), y = -1;
  MPI_Aint size, unit;
  int* of_right;
  OK(MPI_Put_c(&x, 1, MPI_INT, right, 0, 1, MPI_INT, created));
  OK(MPI_Put_c(&x, 1, MPI_INT, right, 0, 1, MPI_INT, shared));
  OK(MPI_Win_flush_all(created));
  OK(MPI_Win_flush_all(shared));
  OK(MPI_Get_c(&y, 1, MPI_INT, right, 0, 1, MPI_INT, created));
  OK(MPI_Win_flush(right, created));
  CHECK(x == y, "step %d", k);
  OK(MPI_Win_shared_query_c(shared, right, &size, &unit, &of_right));
  CHECK(size == (MPI_Aint)sizeof(int) * most && of_right[0] == x, "step %d", k);     // MPICH 4.0.2 forgets half of the unit
  CHECK((int)unit == (int)wide, "%ld, step %d", (long)unit, k);
  got_int(y);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  make();
  for (int k = 0; k < steps; ++k) {
    move(k);
    wide_units(k);
  }
  unmake();
  return finish();
}
