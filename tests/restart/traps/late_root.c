// A non-blocking broadcast that its root enters only much later; others have started it and compute or wait.
#include "../../mpi/programs/check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int k = 0; k < steps; ++k) {
    const int root = k % ranks;
    int value = me == root ? 100 + k : -1;
    MPI_Request r;
    if (me == root)
      for (int i = 0; i < 30000000; ++i) hash = (hash ^ (uint64_t)i) * 1099511628211u;
    MPI_Ibcast(&value, 1, MPI_INT, root, MPI_COMM_WORLD, &r);
    int flag = 0;
    if (k % 2) while (!flag) MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
    else MPI_Wait(&r, MPI_STATUS_IGNORE);
    CHECK(value == 100 + k);
    step(k);
  }
  return finish();
}
