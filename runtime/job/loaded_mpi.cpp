#include <runtime/job/loaded_mpi.hpp>

#include <runtime/files/image_error.hpp>
#include <runtime/image/format/regions.hpp>
#include <runtime/job/program_functions.hpp>
#include <runtime/split/window/saved_state.hpp>
#include <runtime/words/mpi_families.hpp>

#include <dlfcn.h>

#include <string>
#include <string_view>

namespace mana::job {

namespace {

/// The path of the first file in the upper half whose name `is_sought` accepts; empty: none
template <class IsSought>
std::string mapped_file(IsSought&& is_sought) {
  for (const image::region& r : image::upper_regions(split::saved().fixed_begin, split::saved().fixed_end))
    if (is_sought(std::string_view(r.path).substr(r.path.rfind('/') + 1))) return r.path;
  return {};
}

/// The family of the program's wrapper library: after a restart no option tells it. nullptr: not told
const mpi_family* own_family() {
  Dl_info library{};
  with_program([&](const lower::upper_functions& program) { program.find_symbol(&program, &library); });
  return library.dli_fname != nullptr ? family_of_wrappers(library.dli_fname) : nullptr;
}

}  // namespace

std::optional<start_failure> mpi_without_wrappers() {
  const std::string file = mapped_file(is_mpi_library);
  if (file.empty()) return std::nullopt;
  return start_failure(exit_status::not_mpi, "the program was started without MPI, and has loaded " + file,
                       "start it with that MPI's mpirun, or with mana run " MANA_MPI_OPTIONS);
}

std::optional<start_failure> mpi_of_other_wrappers() {
  const mpi_family* const own = own_family();
  if (own == nullptr) return std::nullopt;
  const mpi_family* other = nullptr;
  std::string file;
  try {
    file = mapped_file([&](std::string_view name) {
      other = family_of_file(name);
      return other != nullptr && other != own;
    });
  } catch (const files::image_error&) {
    return std::nullopt;      // the first checkpoint will say that /proc cannot be read
  }
  if (file.empty()) return std::nullopt;
  return start_failure(exit_status::not_mpi,
                       "MPI_Init: the program has loaded " + file + ", a library of " + other->long_name +
                           ", and runs with mana's library for programs of " + own->long_name,
                       std::string("name the program's MPI: mana run --abi ") + other->name, met_by::all);
}

}  // namespace mana::job
