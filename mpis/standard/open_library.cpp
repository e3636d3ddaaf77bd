// Finds the live MPI's library of the standard ABI. Several MPIs may be installed, each with a library of its own: the
// one that belongs to the launcher comes first.
#include <runtime/lower/opened_library.hpp>

#include <runtime/words/error_text.hpp>
#include <runtime/words/exit_status.hpp>
#include <runtime/words/mpi_families.hpp>

#include <dlfcn.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace mana {
namespace {

/// File names, the best first. Distributions have libmpi_abi_<mpi>.so.1.0.0 for each MPI, and let libmpi_abi.so.1 be one
/// of them. LD_LIBRARY_PATH says where others are.
std::vector<std::string> candidates() {
  std::vector<std::string> names;
  const auto is_set = [](const char* variable) { return std::getenv(variable) != nullptr; };
  for (const mpi_family& family : mpi_families)
    if (any_in(family.rank, is_set))
      for (const char* end : {".so.1", ".so.1.0.0"}) names.push_back(std::string("libmpi_abi_") + family.name + end);
  names.emplace_back("libmpi_abi.so.1");
  return names;
}

[[noreturn]] void end_without_library(const std::vector<std::string>& tried, const std::string& why) {
  std::string all;
  for (const std::string& name : tried) all += (all.empty() ? "" : ", ") + name;
  const std::string line =
      words::error_text("no library of the MPI standard ABI was found (" + all + "): " + why,
                        "name its directory in LD_LIBRARY_PATH, or choose another live MPI with --mpi") + "\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
  _exit(static_cast<int>(exit_status::mpi_not_started));
}

}  // namespace

/// The library stays open: its functions run until the process ends.
void lower::open_library(const char* const* names_of_functions, void** functions, std::size_t count) {
  const std::vector<std::string> names = candidates();
  void* library = nullptr;
  std::string why;
  for (const std::string& name : names) {
    library = dlopen(name.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (library != nullptr) break;
    why = dlerror();
  }
  if (library == nullptr) end_without_library(names, why);
  for (std::size_t i = 0; i < count; ++i) functions[i] = dlsym(library, names_of_functions[i]);
}

}  // namespace mana
