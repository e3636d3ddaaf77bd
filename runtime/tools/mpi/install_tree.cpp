#include <runtime/tools/mpi/install_tree.hpp>

#include <runtime/tools/text/failure.hpp>

#include <fmt/format.h>

// Relative paths from the command's directory, which CMake sets for this installation's layout.
#if !defined(MANA_LIBEXEC_FROM_BIN) || !defined(MANA_LIB_FROM_BIN) || !defined(MANA_SHARE_FROM_BIN)
#error "set by runtime/tools/CMakeLists.txt"
#endif

namespace mana::tools {
namespace {

std::filesystem::path directory_of_command() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

}  // namespace

installed_parts find_parts(mpi_name mpi) {
  const auto here = directory_of_command();
  const auto libexec = (here / MANA_LIBEXEC_FROM_BIN).lexically_normal();
  const auto library = (here / MANA_LIB_FROM_BIN).lexically_normal();
  installed_parts parts{libexec / fmt::format("mana-lower-{}", short_name(mpi)),
                        library / fmt::format("libmana-{}.so", short_name(mpi)), {}};
  for (const auto& file : {parts.lower_half, parts.wrappers})
    if (!std::filesystem::exists(file))
      throw failure(
          exit_status::parts_missing,
          fmt::format("this installation has no part for {}: {} is missing", long_name(mpi), file.string()),
          fmt::format("build and install mana where {}'s headers and libraries are installed", long_name(mpi)));
  parts.preload = parts.wrappers.string();
  if (const mpi_family* const family = family_of(mpi)) {
    any_in(family->sonames, [&](const char* soname) {
      const auto stand_in = library / fmt::format("libmana-{}-{}.so", short_name(mpi), soname);
      if (std::filesystem::exists(stand_in)) parts.preload += ":" + stand_in.string();
      return false;
    });
  }
  return parts;
}

std::filesystem::path guide_directory() {
  return (directory_of_command() / MANA_SHARE_FROM_BIN / "guide").lexically_normal();
}

}  // namespace mana::tools
