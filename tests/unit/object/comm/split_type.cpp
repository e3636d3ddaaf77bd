// MPI_Comm_split_type: the hint that it sets.
#include <running_mpi.hpp>

#include <mana/app/abi.hpp>

#include <cstring>
#include <string>

namespace comm_split_type_tests {

#if MPI_VERSION >= 4 || OMPI_MAJOR_VERSION >= 5      // Open MPI 5 has them too, as enumerators

using namespace mana;
using namespace mana::scripted;

namespace {

constexpr const char* resource = "mpi_hw_resource_type";

/// The live MPI has split by this resource, or did not split. It also has values for keys that nobody asked of it.
template <const char* const& Found>
int live_value(real<kind::info>, const char* key, int, char* value, int* found) {
  *found = std::strcmp(key, resource) == 0 ? Found != nullptr : 1;
  if constexpr (Found == nullptr) {
    if (*found != 0) std::strcpy(value, "unasked");
  } else {
    std::strcpy(value, Found);
  }
  return neutral::success;
}
constexpr const char* numa = "numanode";
constexpr const char* none = nullptr;

std::string value_of(MPI_Info info, const char* key) {
  char value[MPI_MAX_INFO_VAL + 1] = {};
  int found = 0;
  CHECK(MPI_Info_get(info, key, MPI_MAX_INFO_VAL, value, &found) == MPI_SUCCESS);
  return found != 0 ? value : "not set";
}

/// What the program's hints say of the resource after a split of this type.
template <const char* const& Found>
std::string told(int type) {
  always<&mpi_slots::MPI_Info_set>().gives(neutral::success);
  always<&mpi_slots::MPI_Info_get>().does(live_value<Found>);
  MPI_Info info = MPI_INFO_NULL;
  REQUIRE(MPI_Info_create(&info) == MPI_SUCCESS);
  MPI_Comm made = MPI_COMM_NULL;
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, type, 0, info, &made) == MPI_SUCCESS);
  const std::string said = value_of(info, resource);
  int keys = -1;
  CHECK(MPI_Info_get_nkeys(info, &keys) == MPI_SUCCESS);
  CHECK(keys == (said == "not set" ? 0 : 1));
  if (made != MPI_COMM_NULL) CHECK(MPI_Comm_free(&made) == MPI_SUCCESS);
  CHECK(MPI_Info_free(&info) == MPI_SUCCESS);
  return said;
}

}  // namespace

TEST_CASE_FIXTURE(running_mpi, "the types of a split are the standard's numbers on the boundary") {
  CHECK(app::neutral_constant<kind::split_type>(MPI_COMM_TYPE_SHARED) == 221);
  CHECK(app::neutral_constant<kind::split_type>(MPI_COMM_TYPE_HW_UNGUIDED) == 222);
  CHECK(app::neutral_constant<kind::split_type>(MPI_COMM_TYPE_HW_GUIDED) == 223);
}
TEST_CASE_FIXTURE(running_mpi, "a split by the hardware tells the program by what resource") {
  CHECK(told<numa>(MPI_COMM_TYPE_HW_UNGUIDED) == "numanode");
  CHECK(told<none>(MPI_COMM_TYPE_HW_UNGUIDED) == "not set");
  CHECK(told<numa>(MPI_COMM_TYPE_HW_GUIDED) == "not set");
}
TEST_CASE_FIXTURE(running_mpi, "a split by the hardware without hints") {
  MPI_Comm made = MPI_COMM_NULL;
  CHECK(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_HW_UNGUIDED, 0, MPI_INFO_NULL, &made) == MPI_SUCCESS);
  if (made != MPI_COMM_NULL) CHECK(MPI_Comm_free(&made) == MPI_SUCCESS);
}

#endif

}  // namespace comm_split_type_tests
