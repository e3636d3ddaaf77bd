// Error handlers: which one hears an error, and how long it lives.
#include <running_mpi.hpp>

namespace errhandler_life_tests {

using namespace mana;
using namespace mana::scripted;

namespace {
int others = 0;
void count(MPI_Comm*, int*, ...) { ++others; }
}  // namespace

TEST_CASE_FIXTURE(running_mpi, "a handler that was freed goes on for the communicator that has it, and ends with it") {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  CHECK(MPI_Comm_create_errhandler(count, &handler) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(comm, handler) == MPI_SUCCESS);
  CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS);
  CHECK(handler == MPI_ERRHANDLER_NULL);
  int n = 0;
  others = 0;
  expect<&services::send>().gives(neutral::err_intern);
  CHECK(class_of(MPI_Send(&n, 1, MPI_INT, 0, 0, comm)) == MPI_ERR_INTERN);
  CHECK(others == 1);
  CHECK(heard().empty());
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "an error that is fatal says so and ends the job; MPI_ERRORS_RETURN only returns it") {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  int n = 0;
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  expect<&services::send>().gives(neutral::err_intern);
  CHECK(class_of(MPI_Send(&n, 1, MPI_INT, 0, 0, comm)) == MPI_ERR_INTERN);
  CHECK(!aborted_with());
  CHECK(notes().empty());
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_ARE_FATAL);
  expect<&services::send>().gives(neutral::err_intern);
  MPI_Send(&n, 1, MPI_INT, 0, 0, comm);
  CHECK(aborted_with() == int{neutral::err_intern});
  REQUIRE(notes().size() == 1);
  CHECK(notes()[0].find("rank 1: MPI_Send failed with ") == 0);
  CHECK(notes()[0].find("words of the live MPI") != std::string::npos);
  CHECK(heard().empty());
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "a freed handler cannot be set") {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  CHECK(MPI_Comm_create_errhandler(count, &handler) == MPI_SUCCESS);
  const MPI_Errhandler stale = handler;
  CHECK(MPI_Errhandler_free(&handler) == MPI_SUCCESS);
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, stale) != MPI_SUCCESS);
  CHECK(heard().size() == 1);
}

}  // namespace errhandler_life_tests
