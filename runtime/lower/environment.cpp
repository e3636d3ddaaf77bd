// Facts that the live MPI tells about itself.
#include <runtime/lower/convert.hpp>
#include <runtime/lower/real_mpi.hpp>
#include <runtime/lower/start_operation.hpp>

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <iterator>

namespace mana::real_mpi {

using lower::neutral_rank;

namespace {

/// The program has no launcher (family::starts_launcher_to_ask).
bool nobody_to_ask(int key) noexcept {
  if constexpr (!family::starts_launcher_to_ask) return false;
  if (key != MPI_UNIVERSE_SIZE && key != MPI_APPNUM) return false;
  for (const char* name : {"PMI_FD", "PMI_PORT", "PMI_RANK"})
    if (std::getenv(name) != nullptr) return false;
  const bool speaks_pmix = dlsym(RTLD_DEFAULT, "PMIx_Init") != nullptr;     // else the MPI does not see a PMIx launcher
  return !speaks_pmix || std::getenv("PMIX_RANK") == nullptr;
}

}  // namespace

int world_attribute(int which, int* flag, std::int64_t* value) {
  static constexpr int keys[] = {MPI_TAG_UB, MPI_HOST, MPI_IO, MPI_WTIME_IS_GLOBAL, MPI_UNIVERSE_SIZE, MPI_APPNUM, MPI_TAG_UB};
  *flag = 0;
  if (which < 0 || which >= static_cast<int>(std::size(keys))) return neutral::err_keyval;
  if (nobody_to_ask(keys[which])) return neutral::success;
  void* found = nullptr;
  const int rc = PMPI_Comm_get_attr(MPI_COMM_WORLD, keys[which], &found, flag);
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  if (*flag == 0) return neutral::success;
  const int number = *static_cast<const int*>(found);
  const bool is_rank = keys[which] == MPI_HOST || keys[which] == MPI_IO;
  *value = is_rank ? neutral_rank(number) : number;
  return neutral::success;
}

std::optional<predefined_object> predefined_object_of(std::uint32_t code) {
  constexpr std::uint32_t first_marker = 0x3f0;            // MPI_LB and MPI_UB: datatypes without bytes
  std::optional<predefined_object> found;
  lower::for_each_predefined_datatype([&](std::uint32_t own_code, MPI_Datatype type, const char* name) {
    if (own_code != code || found || type == MPI_DATATYPE_NULL) return;
    int bytes = 0;
    if (PMPI_Type_size(type, &bytes) != MPI_SUCCESS || (bytes <= 0 && code < first_marker)) return;
    found = {name, bytes};
  });
  lower::for_each_predefined_op([&](std::uint32_t own_code, MPI_Op op, const char* name) {
    if (own_code == code && !found && op != MPI_OP_NULL) found = {name, 0};
  });
  return found;
}

bool supports_large_counts() noexcept { return has_large_counts; }

int error_text(int error_class, char* text, int* length) {
  static_assert(MPI_MAX_ERROR_STRING <= 512, "the boundary's texts have 512 bytes");
  const int real_class = lower::real_error(error_class);
  // This MPI lacks the class. Better no text than another class's.
  if (real_class == MPI_ERR_UNKNOWN && error_class != neutral::err_unknown) return neutral::err_arg;
  char words[MPI_MAX_ERROR_STRING] = {};
  const int rc = PMPI_Error_string(real_class, words, length);
  if (rc != MPI_SUCCESS) return neutral_error(rc);
  std::memcpy(text, words, sizeof words);
  return neutral::success;
}

int affinity_text(int format, char* bound, char* current, char* exists) {
  int rc = MPI_SUCCESS;
  if (family::affinity_text(format, bound, current, exists, rc))
    return rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc);
  *bound = *current = *exists = '\0';
  return neutral::err_unsupported_operation;
}

}  // namespace mana::real_mpi
