// One rank waits for a non-blocking reduction, of several rounds that need the others' progress, before it starts another;
// the others have started that one too and come to a blocking collective, where a request holds them.
#include "../../mpi/programs/check.h"

enum { size = 1 << 16 };

/// Some milliseconds, in which a request comes more often than not.
static void compute(void) {
  static volatile double x;
  for (int i = 0; i < 2000000; ++i) x = x * 0.5 + i;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static long mine[size], sum[size];
  for (int k = 0; k < steps; ++k) {
    const int is_last = me == k % ranks;
    MPI_Request reduction, barrier;
    for (int i = 0; i < size; ++i) mine[i] = me + k + i;
    OK(MPI_Iallreduce(mine, sum, size, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, &reduction));
    if (is_last) OK(MPI_Wait(&reduction, MPI_STATUS_IGNORE));
    OK(MPI_Ibarrier(MPI_COMM_WORLD, &barrier));
    if (!is_last) compute();
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Wait(&reduction, MPI_STATUS_IGNORE));
    OK(MPI_Wait(&barrier, MPI_STATUS_IGNORE));
    for (int i = 0; i < size; ++i) CHECK(sum[i] == (long)ranks * (k + i) + ranks * (ranks - 1L) / 2, "at %d", i);
    got(sum, sizeof sum);
    step(k);
  }
  return finish();
}
