// Collectives that fail on one rank only, for what is wrong with their arguments: the others never call them.
#include "../../mpi/programs/check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int in[64] = {0}, out[64];
  MPI_Request r;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int k = 0; k < steps; ++k) {
    if (me == k % ranks) {
      CHECK(MPI_Allreduce(in, out, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD) != MPI_SUCCESS);
      CHECK(MPI_Bcast(in, 1, MPI_INT, ranks, MPI_COMM_WORLD) != MPI_SUCCESS);
      CHECK(MPI_Ibcast(in, 1, MPI_INT, ranks, MPI_COMM_WORLD, &r) != MPI_SUCCESS);
    }
    if (me == 0) got_int(k);
    step(k);
  }
  return finish();
}
