// Communicators: their handle goes, what needs them stays until it ends.
#include <running_mpi.hpp>

using namespace mana;
using namespace mana::scripted;

TEST_CASE_FIXTURE(running_mpi, "a freed communicator is an error in every call, and the live MPI never hears of it") {
  MPI_Comm comm = MPI_COMM_NULL;
  REQUIRE(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
  const MPI_Comm stale = comm;
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  CHECK(comm == MPI_COMM_NULL);
  int n = 0;
  check_error(MPI_Comm_size(stale, &n), MPI_ERR_COMM);
  check_error(MPI_Barrier(stale), MPI_ERR_COMM);
}
