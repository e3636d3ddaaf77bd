// Info objects: plain data.
#include <running_mpi.hpp>

namespace info_life_tests {

using namespace mana;
using namespace mana::scripted;

TEST_CASE_FIXTURE(running_mpi, "a freed info object is an error in every call; a copy outlives it") {
  MPI_Info info = MPI_INFO_NULL, copy = MPI_INFO_NULL;
  CHECK(MPI_Info_create(&info) == MPI_SUCCESS);
  CHECK(MPI_Info_set(info, "key", "value") == MPI_SUCCESS);
  CHECK(MPI_Info_dup(info, &copy) == MPI_SUCCESS);
  MPI_Info stale = info, out = MPI_INFO_NULL;
  CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
  int n = 0;
  char text[16];
  check_error(MPI_Info_get_nkeys(stale, &n), MPI_ERR_INFO);
  check_error(MPI_Info_set(stale, "key", "value"), MPI_ERR_INFO);
  check_error(MPI_Info_dup(stale, &out), MPI_ERR_INFO);
  check_error(MPI_Info_free(&stale), MPI_ERR_INFO);
  CHECK(MPI_Info_get(copy, "key", 15, text, &n) == MPI_SUCCESS);
  CHECK(n == 1);
  CHECK(std::string(text) == "value");
  CHECK(MPI_Info_free(&copy) == MPI_SUCCESS);
}

}  // namespace info_life_tests
