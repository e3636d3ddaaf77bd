// Collectives that the MPI refuses for their arguments: on one rank only, where the others never call them, or call them
// rightly afterwards; and on all.
#include "../../mpi/programs/check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int in = me, out = 0;
  MPI_Comm made;
  MPI_Request r;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  for (int k = 0; k < steps; ++k) {
    if (me == k % ranks || k % 3 == 0) {
      CHECK(MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_OP_NULL, MPI_COMM_WORLD) != MPI_SUCCESS);
      CHECK(MPI_Bcast(&in, 1, MPI_INT, ranks, MPI_COMM_WORLD) != MPI_SUCCESS);
      CHECK(MPI_Ibcast(&in, 1, MPI_INT, ranks, MPI_COMM_WORLD, &r) != MPI_SUCCESS);
      CHECK(MPI_Cart_create(MPI_COMM_WORLD, 1, (int[]){ranks + 1}, (int[]){0}, 0, &made) != MPI_SUCCESS);
    }
    if (k % 2 == 0) {
      MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
      CHECK(out == ranks * (ranks - 1) / 2);
    }
    if (me == 0) got_int(k);
    step(k);
  }
  return finish();
}
