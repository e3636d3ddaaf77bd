// User-defined operations: the lower half knows a number, which nothing may call after the last that needs it.
#include <running_mpi.hpp>

namespace op_life_tests {

using namespace mana;
using namespace mana::scripted;

namespace {
void add(void*, void*, int*, MPI_Datatype*) {}
}  // namespace

TEST_CASE_FIXTURE(running_mpi, "a freed operation is an error in every call") {
  MPI_Op op = MPI_OP_NULL;
  REQUIRE(MPI_Op_create(add, 1, &op) == MPI_SUCCESS);
  MPI_Op stale = op;
  CHECK(MPI_Op_free(&op) == MPI_SUCCESS);
  CHECK(op == MPI_OP_NULL);
  int a = 0, b = 0;
  check_error(MPI_Op_commutative(stale, &a), MPI_ERR_OP);
  check_error(MPI_Reduce_local(&a, &b, 1, MPI_INT, stale), MPI_ERR_OP);
  check_error(MPI_Allreduce(&a, &b, 1, MPI_INT, stale, MPI_COMM_WORLD), MPI_ERR_OP);
  check_error(MPI_Op_free(&stale), MPI_ERR_OP);
}

TEST_CASE_FIXTURE(running_mpi, "an operation that a reduction under way uses ends with it, also across a restart") {
  for (const outcome how : {outcome::resumes, outcome::restarts}) {
    MPI_Op op = MPI_OP_NULL;
    MPI_Request r = MPI_REQUEST_NULL;
    int a = 0, b = 0;
    const std::size_t before = live_count(kind_code::op);
    CHECK(MPI_Op_create(add, 1, &op) == MPI_SUCCESS);
    expect_start<&mpi_slots::MPI_Iallreduce>();
    CHECK(MPI_Iallreduce(&a, &b, 1, MPI_INT, op, MPI_COMM_WORLD, &r) == MPI_SUCCESS);
    CHECK(MPI_Op_free(&op) == MPI_SUCCESS);
    CHECK(live_count(kind_code::op) == before + 1);
    expect_checkpoint_in<&services::wait_some>(how);
    CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_SUCCESS);
    CHECK(live_count(kind_code::op) == before);
  }
}

TEST_CASE_FIXTURE(running_mpi, "an error of the live MPI's in MPI_Op_free is told, and the operation is gone") {
  MPI_Op op = MPI_OP_NULL;
  REQUIRE(MPI_Op_create(add, 1, &op) == MPI_SUCCESS);
  expect<&mpi_slots::MPI_Op_free>().does([](real<kind::op>* op) {
    end(*op);
    return int{neutral::err_intern};
  });
  check_error(MPI_Op_free(&op), MPI_ERR_INTERN);
  CHECK(op == MPI_OP_NULL);
}

}  // namespace op_life_tests
