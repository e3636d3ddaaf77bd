// Sessions: plain data over one live MPI.
#include <running_mpi.hpp>

namespace session_life_tests {

using namespace mana;
using namespace mana::scripted;

#if MPI_VERSION >= 4
TEST_CASE_FIXTURE(running_mpi, "a session that was finalized is an error in every call; its communicators go on") {
  MPI_Session session = MPI_SESSION_NULL;
  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  MPI_Group all = MPI_GROUP_NULL;
  CHECK(MPI_Group_from_session_pset(session, "mpi://WORLD", &all) == MPI_SUCCESS);
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK(MPI_Comm_create_from_group(all, "tag", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm) == MPI_SUCCESS);
  MPI_Session stale = session;
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
  CHECK(session == MPI_SESSION_NULL);
  int n = 0;
  CHECK(MPI_Session_get_num_psets(stale, MPI_INFO_NULL, &n) != MPI_SUCCESS);
  CHECK(MPI_Session_finalize(&stale) != MPI_SUCCESS);
  CHECK(heard().size() == 2);
  CHECK(MPI_Comm_size(comm, &n) == MPI_SUCCESS);
  CHECK(n == world_size);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
  CHECK(MPI_Group_free(&all) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "a communicator of a group that the live MPI cannot make: the handler of the new one hears it") {
  MPI_Group all = MPI_GROUP_NULL;
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Comm_group(MPI_COMM_WORLD, &all);
  expect<&services::comm_from_ranks>().gives(neutral::err_intern);
  check_error(MPI_Comm_create_from_group(all, "tag", MPI_INFO_NULL, noting(), &comm), MPI_ERR_INTERN, MPI_COMM_NULL);
  check_error(MPI_Comm_create_from_group(all, "tag", MPI_INFO_NULL, noting(), nullptr), MPI_ERR_ARG, MPI_COMM_NULL);
  CHECK(comm == MPI_COMM_NULL);
  CHECK(MPI_Group_free(&all) == MPI_SUCCESS);
}
#endif

}  // namespace session_life_tests
