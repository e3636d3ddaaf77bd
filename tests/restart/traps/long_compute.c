// A rank computes for long without any MPI call while the others wait for it in a collective.
#include "../../mpi/programs/check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int k = 0; k < steps; ++k) {
    if (me == k % ranks)
      for (long i = 0; i < 150000000; ++i) hash = (hash ^ (uint64_t)i) * 1099511628211u;
    MPI_Barrier(MPI_COMM_WORLD);
    step(k);
  }
  return finish();
}
