// A null pointer where a result is to go: an error of the communicator, in some mpi.h an int among others.
#include <running_mpi.hpp>

namespace all_null_result_tests {

using namespace mana;
using namespace mana::scripted;

TEST_CASE_FIXTURE(running_mpi, "a call without a place for its result is an error of its communicator") {
  MPI_Comm comm = MPI_COMM_NULL;
  REQUIRE(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
  MPI_Errhandler noted = noting();
  CHECK(MPI_Comm_set_errhandler(comm, noted) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN) == MPI_SUCCESS);
  int data = 0;
  check_error(MPI_Irecv(&data, 1, MPI_INT, 0, 0, comm, nullptr), MPI_ERR_ARG, comm);
  check_error(MPI_Comm_size(comm, nullptr), MPI_ERR_ARG, comm);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, noted) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
}

}  // namespace all_null_result_tests
