// Questions that MPI-4.1 and 5.0 answer from plain data: fields of a status, the standard ABI, hardware, handles as numbers. The
// functions are called past mpi.h, which may not have them.
#include <running_mpi.hpp>

#include <mana/calls.hpp>

#include <string>

namespace process_standard_abi_tests {

using namespace mana;
using namespace mana::scripted;

namespace {

/// The value of a key; "" if there is none. Frees the object.
std::string value_of(MPI_Info info, const char* key, bool frees = true) {
  char value[64] = "";
  int flag = 0;
  CHECK(MPI_Info_get(info, key, sizeof value - 1, value, &flag) == MPI_SUCCESS);
  if (frees) CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
  return flag != 0 ? value : "";
}

template <class Handle>
void check_both_ways(Handle handle, int (*to)(Handle) noexcept, Handle (*from)(int) noexcept) {
  CHECK(from(to(handle)) == handle);
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "the fields of a status are set and read; an ignored status has none") {
  MPI_Status s{};
  int value = 0;
  CHECK(manual::status_set_source(&s, 3) == MPI_SUCCESS);
  CHECK(manual::status_set_tag(&s, 5) == MPI_SUCCESS);
  CHECK(manual::status_set_error(&s, MPI_ERR_TRUNCATE) == MPI_SUCCESS);
  CHECK(s.MPI_SOURCE == 3);
  CHECK(s.MPI_TAG == 5);
  CHECK(s.MPI_ERROR == MPI_ERR_TRUNCATE);
  CHECK(manual::status_get_source(&s, &value) == MPI_SUCCESS);
  CHECK(value == 3);
  CHECK(manual::status_get_tag(&s, &value) == MPI_SUCCESS);
  CHECK(value == 5);
  CHECK(manual::status_get_error(&s, &value) == MPI_SUCCESS);
  CHECK(value == MPI_ERR_TRUNCATE);
  check_error(object::finish(manual::status_set_tag(MPI_STATUS_IGNORE, 5)), MPI_ERR_ARG);
}

TEST_CASE_FIXTURE(running_mpi, "the ABI's version is the standard's where mpi.h is; sizes are those of mpi.h") {
  int major = 0, minor = 0;
  CHECK(manual::abi_get_version(&major, &minor) == MPI_SUCCESS);
#if defined(MPI_ABI_VERSION)
  CHECK(major == MPI_ABI_VERSION);
#else
  CHECK(major == -1);
#endif
  MPI_Info info = MPI_INFO_NULL;
  CHECK(manual::abi_get_info(&info) == MPI_SUCCESS);
  CHECK(value_of(info, "mpi_aint_size", false) == std::to_string(sizeof(MPI_Aint)));
  CHECK(value_of(info, "mpi_count_size", false) == std::to_string(sizeof(MPI_Count)));
  CHECK(value_of(info, "mpi_offset_size") == std::to_string(sizeof(MPI_Offset)));
}

TEST_CASE_FIXTURE(running_mpi, "a live MPI with Fortran knows its types, and nobody tells it others") {
  MPI_Info info = MPI_INFO_NULL;
  CHECK(manual::abi_get_fortran_info(&info) == MPI_SUCCESS);
  REQUIRE(info != MPI_INFO_NULL);
  CHECK(value_of(info, "mpi_integer_size", false) != "");
  const int code = object::finish(manual::abi_set_fortran_info(info));
  CHECK(code != MPI_SUCCESS);
  CHECK(running_mpi::heard().size() == 1);
  CHECK(value_of(info, "mpi_real_size") != "");
}

TEST_CASE_FIXTURE(running_mpi, "Fortran's logicals are told once") {
  int yes = 1, no = 0, is_set = 1;
  CHECK(manual::abi_get_fortran_booleans(sizeof yes, &yes, &no, &is_set) == MPI_SUCCESS);
  CHECK(is_set == 0);
  yes = -1;
  CHECK(manual::abi_set_fortran_booleans(sizeof yes, &yes, &no) == MPI_SUCCESS);
  yes = 5;
  no = 5;
  CHECK(manual::abi_get_fortran_booleans(sizeof yes, &yes, &no, &is_set) == MPI_SUCCESS);
  CHECK(is_set == 1);
  CHECK(yes == -1);
  CHECK(no == 0);
  CHECK(object::finish(manual::abi_set_fortran_booleans(sizeof yes, &yes, &no)) != MPI_SUCCESS);
  CHECK(running_mpi::heard().size() == 1);
  check_error(object::finish(manual::abi_get_fortran_booleans(3, &yes, &no, &is_set)), MPI_ERR_ARG);
}

TEST_CASE_FIXTURE(running_mpi, "the hardware of a process: all of it is one machine's") {
  MPI_Info info = MPI_INFO_NULL;
  CHECK(manual::get_hw_resource_info(&info) == MPI_SUCCESS);
  const std::string package = value_of(info, "hwloc://Package", false);
  CHECK((package == "true" || package == "false"));
  CHECK(value_of(info, "hwloc://Machine") == "true");
}

TEST_CASE_FIXTURE(running_mpi, "handles become numbers and handles again, predefined ones and the program's") {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Type_contiguous(2, MPI_INT, &type);
  check_both_ways<MPI_Comm>(comm, manual::comm_toint, manual::comm_fromint);
  check_both_ways<MPI_Comm>(MPI_COMM_WORLD, manual::comm_toint, manual::comm_fromint);
  check_both_ways<MPI_Comm>(MPI_COMM_NULL, manual::comm_toint, manual::comm_fromint);
  check_both_ways<MPI_Datatype>(type, manual::type_toint, manual::type_fromint);
  check_both_ways<MPI_Datatype>(MPI_INT, manual::type_toint, manual::type_fromint);
  check_both_ways<MPI_Op>(MPI_SUM, manual::op_toint, manual::op_fromint);
  check_both_ways<MPI_Group>(MPI_GROUP_EMPTY, manual::group_toint, manual::group_fromint);
  check_both_ways<MPI_Info>(MPI_INFO_NULL, manual::info_toint, manual::info_fromint);
  check_both_ways<MPI_Request>(MPI_REQUEST_NULL, manual::request_toint, manual::request_fromint);
  check_both_ways<MPI_Message>(MPI_MESSAGE_NULL, manual::message_toint, manual::message_fromint);
  check_both_ways<MPI_Errhandler>(MPI_ERRORS_RETURN, manual::errhandler_toint, manual::errhandler_fromint);
  check_both_ways<MPI_Win>(MPI_WIN_NULL, manual::win_toint, manual::win_fromint);
  check_both_ways<MPI_File>(MPI_FILE_NULL, manual::file_toint, manual::file_fromint);
#if defined(MPI_ABI_VERSION) && MPI_ABI_VERSION > 0      // not the own ABI of a library that has the standard one besides
  CHECK(manual::comm_toint(MPI_COMM_WORLD) == neutral::comm_world);
#endif
  CHECK(MPI_Type_free(&type) == MPI_SUCCESS);
  CHECK(MPI_Comm_free(&comm) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "the pair of a value and an index is the predefined one; there are no others") {
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  CHECK(manual::type_get_value_index(MPI_DOUBLE, MPI_INT, &pair) == MPI_SUCCESS);
  CHECK(pair == MPI_DOUBLE_INT);
  CHECK(manual::type_get_value_index(MPI_INT, MPI_INT, &pair) == MPI_SUCCESS);
  CHECK(pair == MPI_2INT);
  CHECK(manual::type_get_value_index(MPI_CHAR, MPI_INT, &pair) == MPI_SUCCESS);
  CHECK(pair == MPI_DATATYPE_NULL);
  check_error(object::finish(manual::type_get_value_index(MPI_DATATYPE_NULL, MPI_INT, &pair)), MPI_ERR_TYPE);
}

}  // namespace process_standard_abi_tests
