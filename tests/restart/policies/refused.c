// Under a policy that has a trivial barrier before each collective: what can have none is refused through the error
// handler, the program goes on, and the counts of its collectives are right.
#include "../../mpi/programs/check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Group all;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  for (int k = 0; k < steps; ++k) {
    CHECK(class_of(MPI_Ibarrier(MPI_COMM_WORLD, &request)) == MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(class_of(MPI_Comm_idup(MPI_COMM_WORLD, &made, &request)) == MPI_ERR_UNSUPPORTED_OPERATION);
    CHECK(class_of(MPI_Comm_create_group(MPI_COMM_WORLD, all, 0, &made)) == MPI_ERR_UNSUPPORTED_OPERATION);
    int sum = 0;
    MPI_Allreduce(&k, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == k * ranks);
    got_int(sum);
    step(k);
  }
  MPI_Group_free(&all);
  return finish();
}
