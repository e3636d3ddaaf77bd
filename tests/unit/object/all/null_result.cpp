// Null pointers that MPI does not allow are errors of the call's own communicator, window or session.
#include <running_mpi.hpp>

#include <string>

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

TEST_CASE_FIXTURE(running_mpi, "a text or an address without a place is an error, and has no effect") {
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, noting()) == MPI_SUCCESS);
  int length = -1, flag = -1;
  check_error(MPI_Get_processor_name(nullptr, &length), MPI_ERR_ARG);
  check_error(MPI_Get_library_version(nullptr, &length), MPI_ERR_ARG);
  check_error(MPI_Error_string(MPI_ERR_ARG, nullptr, &length), MPI_ERR_ARG);
  check_error(MPI_Comm_get_name(MPI_COMM_WORLD, nullptr, &length), MPI_ERR_ARG);
  check_error(MPI_Type_get_name(MPI_INT, nullptr, &length), MPI_ERR_ARG);
  check_error(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, nullptr, &flag), MPI_ERR_ARG);
  check_error(MPI_Query_thread(nullptr), MPI_ERR_ARG);
  MPI_Info info = MPI_INFO_NULL;
  CHECK(MPI_Info_create(&info) == MPI_SUCCESS);
  CHECK(MPI_Info_set(info, "key", "value") == MPI_SUCCESS);
  check_error(MPI_Info_get(info, "key", 9, nullptr, &flag), MPI_ERR_ARG);
  check_error(MPI_Info_get_nthkey(info, 0, nullptr), MPI_ERR_ARG);
#if MPI_VERSION >= 4
  int capacity = 9;
  check_error(MPI_Info_get_string(info, "key", &capacity, nullptr, &flag), MPI_ERR_ARG);
  check_error(MPI_Info_get_string(info, "key", nullptr, nullptr, &flag), MPI_ERR_ARG);
  capacity = 0;                                  // asks for the length alone
  CHECK(MPI_Info_get_string(info, "key", &capacity, nullptr, &flag) == MPI_SUCCESS);
  CHECK(capacity == 6);
#endif
  CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
  CHECK(length == -1);
}

TEST_CASE_FIXTURE(running_mpi, "null handles have names") {
  char name[MPI_MAX_OBJECT_NAME];
  int length = 0;
  CHECK(MPI_Comm_get_name(MPI_COMM_NULL, name, &length) == MPI_SUCCESS);
  CHECK(std::string(name) == "MPI_COMM_NULL");
  CHECK(MPI_Type_get_name(MPI_DATATYPE_NULL, name, &length) == MPI_SUCCESS);
  CHECK(std::string(name) == "MPI_DATATYPE_NULL");
  CHECK(MPI_Win_get_name(MPI_WIN_NULL, name, &length) == MPI_SUCCESS);
  CHECK(std::string(name) == "MPI_WIN_NULL");
  CHECK(length == 12);
}

TEST_CASE_FIXTURE(running_mpi, "a status that is read, and requests, are not null") {
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, noting()) == MPI_SUCCESS);
  int n = -1;
  MPI_Status status{};
  for (MPI_Status* const none : {static_cast<MPI_Status*>(nullptr), MPI_STATUS_IGNORE}) {
    check_error(MPI_Get_count(none, MPI_INT, &n), MPI_ERR_ARG);
    check_error(MPI_Test_cancelled(none, &n), MPI_ERR_ARG);
    check_error(MPI_Status_set_elements(none, MPI_INT, 1), MPI_ERR_ARG);
    check_error(MPI_Status_set_cancelled(none, 1), MPI_ERR_ARG);
  }
  check_error(MPI_Waitall(1, nullptr, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
  check_error(MPI_Testall(1, nullptr, &n, MPI_STATUSES_IGNORE), MPI_ERR_ARG);
  check_error(MPI_Waitany(1, nullptr, &n, &status), MPI_ERR_ARG);
  check_error(MPI_Startall(1, nullptr), MPI_ERR_ARG);
  MPI_Request request = MPI_REQUEST_NULL;
  check_error(MPI_Waitsome(1, &request, &n, nullptr, &status), MPI_ERR_ARG);
  CHECK(n == -1);
  CHECK(MPI_Waitall(0, nullptr, MPI_STATUSES_IGNORE) == MPI_SUCCESS);
  CHECK(MPI_Startall(0, nullptr) == MPI_SUCCESS);
}

#if MPI_VERSION >= 4
TEST_CASE_FIXTURE(running_mpi, "a session's error handler hears of a null pointer in its call") {
  CHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, noting()) == MPI_SUCCESS);
  MPI_Session session = MPI_SESSION_NULL;
  CHECK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session) == MPI_SUCCESS);
  int length = 4;
  CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, nullptr) != MPI_SUCCESS);
  CHECK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, nullptr) != MPI_SUCCESS);
  length = 0;
  CHECK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, nullptr) == MPI_SUCCESS);
  CHECK(heard().empty());
  CHECK(MPI_Session_finalize(&session) == MPI_SUCCESS);
}
#endif

}  // namespace all_null_result_tests
