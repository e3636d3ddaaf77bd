// Datatypes: counted by what is made of them and by operations, made again at a restart.
#include <running_mpi.hpp>

namespace datatype_life_tests {

using namespace mana;
using namespace mana::scripted;

TEST_CASE_FIXTURE(running_mpi, "a freed datatype is an error in every call") {
  MPI_Datatype type = MPI_DATATYPE_NULL, out = MPI_DATATYPE_NULL;
  REQUIRE(MPI_Type_contiguous(2, MPI_INT, &type) == MPI_SUCCESS);
  MPI_Datatype stale = type;
  CHECK(MPI_Type_free(&type) == MPI_SUCCESS);
  CHECK(type == MPI_DATATYPE_NULL);
  int n = 0;
  MPI_Aint lb = 0, extent = 0;
  check_error(MPI_Type_size(stale, &n), MPI_ERR_TYPE);
  check_error(MPI_Type_get_extent(stale, &lb, &extent), MPI_ERR_TYPE);
  check_error(MPI_Type_commit(&stale), MPI_ERR_TYPE);
  check_error(MPI_Type_contiguous(2, stale, &out), MPI_ERR_TYPE);
  check_error(MPI_Type_dup(stale, &out), MPI_ERR_TYPE);
  check_error(MPI_Send(&n, 1, stale, 0, 0, MPI_COMM_WORLD), MPI_ERR_TYPE);
  check_error(MPI_Type_free(&stale), MPI_ERR_TYPE);
}

TEST_CASE_FIXTURE(running_mpi, "an inner datatype lives as long as what is made of it, and both are made again at a restart") {
  const std::size_t before = live_count(kind_code::datatype);
  MPI_Datatype inner = MPI_DATATYPE_NULL, outer = MPI_DATATYPE_NULL;
  CHECK(MPI_Type_contiguous(2, MPI_INT, &inner) == MPI_SUCCESS);
  CHECK(MPI_Type_vector(2, 1, 2, inner, &outer) == MPI_SUCCESS);
  CHECK(MPI_Type_commit(&outer) == MPI_SUCCESS);
  CHECK(MPI_Type_free(&inner) == MPI_SUCCESS);
  CHECK(live_count(kind_code::datatype) == before + 2);
  raise_attention();
  expect<&services::clock_enter>().does([] { return declare_line(outcome::restarts); });
  expect<&mpi_slots::MPI_Bcast>().gives(neutral::success);
  int data[8];
  CHECK(MPI_Bcast(data, 1, outer, 0, MPI_COMM_WORLD) == MPI_SUCCESS);      // of the new process: all handles are checked
  CHECK(live_count(kind_code::datatype) == before + 2);
  CHECK(MPI_Type_free(&outer) == MPI_SUCCESS);
  CHECK(live_count(kind_code::datatype) == before);
}

TEST_CASE_FIXTURE(running_mpi, "a commit that the live MPI refuses is tried again by the next") {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  CHECK(MPI_Type_contiguous(2, MPI_INT, &type) == MPI_SUCCESS);
  expect<&mpi_slots::MPI_Type_commit>().gives(neutral::err_intern);
  check_error(MPI_Type_commit(&type), MPI_ERR_INTERN);
  CHECK(MPI_Type_commit(&type) == MPI_SUCCESS);
  CHECK(calls<&mpi_slots::MPI_Type_commit>().size() == 2);
  CHECK(MPI_Type_free(&type) == MPI_SUCCESS);
}

TEST_CASE_FIXTURE(running_mpi, "each step of a subarray may fail: what was made before it is freed") {
  const int sizes[] = {4, 4}, parts[] = {2, 2}, starts[] = {0, 0};
  MPI_Datatype type = MPI_DATATYPE_NULL;
  const auto fails_at = [&](auto expectation) {
    const std::size_t before = live_count();
    expectation.gives(neutral::err_intern);
    check_error(MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_INT, &type), MPI_ERR_INTERN);
    CHECK(live_count() == before);
  };
  fails_at(expect<&mpi_slots::MPI_Type_create_hvector>());
  fails_at(expect<&mpi_slots::MPI_Type_create_struct>());
  fails_at(expect<&mpi_slots::MPI_Type_create_resized>());
}

}  // namespace datatype_life_tests
