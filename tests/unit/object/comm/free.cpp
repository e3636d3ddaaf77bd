// Communicators: their handle goes, what needs them stays until it ends.
#include <running_mpi.hpp>

namespace comm_free_tests {

using namespace mana;
using namespace mana::scripted;

TEST_CASE_FIXTURE(running_mpi, "a freed communicator is an error in every call, and the live MPI never hears of it") {
  MPI_Comm comm = MPI_COMM_NULL, out = MPI_COMM_NULL;
  REQUIRE(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
  MPI_Comm stale = comm;
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  CHECK(comm == MPI_COMM_NULL);
  int n = 0;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Request r = MPI_REQUEST_NULL;
  check_error(MPI_Comm_size(stale, &n), MPI_ERR_COMM);
  check_error(MPI_Comm_rank(stale, &n), MPI_ERR_COMM);
  check_error(MPI_Comm_group(stale, &group), MPI_ERR_COMM);
  check_error(MPI_Comm_compare(stale, MPI_COMM_WORLD, &n), MPI_ERR_COMM);
  check_error(MPI_Comm_dup(stale, &out), MPI_ERR_COMM);
  check_error(MPI_Comm_idup(stale, &out, &r), MPI_ERR_COMM);
  check_error(MPI_Comm_split(stale, 0, 0, &out), MPI_ERR_COMM);
  check_error(MPI_Barrier(stale), MPI_ERR_COMM);
  check_error(MPI_Ibarrier(stale, &r), MPI_ERR_COMM);
  check_error(MPI_Send(&n, 1, MPI_INT, 0, 0, stale), MPI_ERR_COMM);
  check_error(MPI_Irecv(&n, 1, MPI_INT, 0, 0, stale, &r), MPI_ERR_COMM);
  check_error(MPI_Probe(0, 0, stale, MPI_STATUS_IGNORE), MPI_ERR_COMM);
  check_error(MPI_Comm_free(&stale), MPI_ERR_COMM);
}

TEST_CASE_FIXTURE(running_mpi, "an error of the live MPI's in MPI_Comm_free is told, and the communicator is gone") {
  MPI_Comm comm = MPI_COMM_NULL;
  REQUIRE(MPI_Comm_dup(MPI_COMM_WORLD, &comm) == MPI_SUCCESS);
  expect<&mpi_slots::MPI_Comm_free>().does([](real<kind::comm>* comm) {
    end(*comm);
    return int{neutral::err_intern};
  });
  check_error(MPI_Comm_free(&comm), MPI_ERR_INTERN);
  CHECK(comm == MPI_COMM_NULL);
}

TEST_CASE_FIXTURE(running_mpi, "the communicators that MPI itself has cannot be freed") {
  MPI_Comm world = MPI_COMM_WORLD, self = MPI_COMM_SELF, none = MPI_COMM_NULL;
  check_error(MPI_Comm_free(&world), MPI_ERR_COMM);
  check_error(MPI_Comm_free(&self), MPI_ERR_COMM);
  check_error(MPI_Comm_free(&none), MPI_ERR_COMM);
}

TEST_CASE_FIXTURE(running_mpi, "a duplicate that is made while a checkpoint passes has its handle of the new process") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    MPI_Comm made = MPI_COMM_NULL;
    MPI_Request r = MPI_REQUEST_NULL;
    expect<&services::comm_idup>().does([](real<kind::comm>, real<kind::comm>* comm, real<kind::request>* request) {
      *comm = make<kind::comm>();
      *request = pending_request(true);
      return int{neutral::success};
    });
    CHECK(MPI_Comm_idup(MPI_COMM_WORLD, &made, &r) == MPI_SUCCESS);
    expect_checkpoint_in<&services::wait_some>(how);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    expect<&mpi_slots::MPI_Barrier>().gives(neutral::success);
    CHECK(MPI_Barrier(made) == MPI_SUCCESS);
    CHECK(MPI_Comm_free(&made) == MPI_SUCCESS);
  }
  CHECK(parks() == 2);
}

}  // namespace comm_free_tests
