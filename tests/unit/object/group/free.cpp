// Groups: plain data, about which the live MPI is never asked.
#include <running_mpi.hpp>

namespace group_free_tests {

using namespace mana;
using namespace mana::scripted;

TEST_CASE_FIXTURE(running_mpi, "a freed group is an error in every call") {
  MPI_Group all = MPI_GROUP_NULL, out = MPI_GROUP_NULL;
  REQUIRE(MPI_Comm_group(MPI_COMM_WORLD, &all) == MPI_SUCCESS);
  MPI_Group stale = all;
  CHECK(MPI_Group_free(&all) == MPI_SUCCESS);
  CHECK(all == MPI_GROUP_NULL);
  int n = 0;
  const int rank[] = {0};
  check_error(MPI_Group_size(stale, &n), MPI_ERR_GROUP);
  check_error(MPI_Group_rank(stale, &n), MPI_ERR_GROUP);
  check_error(MPI_Group_compare(stale, MPI_GROUP_EMPTY, &n), MPI_ERR_GROUP);
  check_error(MPI_Group_union(stale, MPI_GROUP_EMPTY, &out), MPI_ERR_GROUP);
  check_error(MPI_Group_incl(stale, 1, rank, &out), MPI_ERR_GROUP);
  check_error(MPI_Group_translate_ranks(stale, 1, rank, MPI_GROUP_EMPTY, &n), MPI_ERR_GROUP);
  check_error(MPI_Group_free(&stale), MPI_ERR_GROUP);
  MPI_Comm made = MPI_COMM_NULL;
  check_error(MPI_Comm_create(MPI_COMM_WORLD, stale, &made), MPI_ERR_GROUP);
}

TEST_CASE_FIXTURE(running_mpi, "a communicator needs the group that it was made of no longer") {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  CHECK(MPI_Comm_create(MPI_COMM_WORLD, all, &made) == MPI_SUCCESS);
  CHECK(MPI_Group_free(&all) == MPI_SUCCESS);
  int n = 0;
  CHECK(MPI_Comm_size(made, &n) == MPI_SUCCESS);
  CHECK(n == world_size);
  CHECK(MPI_Comm_free(&made) == MPI_SUCCESS);
}

}  // namespace group_free_tests
