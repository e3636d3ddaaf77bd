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

std::filesystem::path from_command(const char* way) { return (directory_of_command() / way).lexically_normal(); }

std::filesystem::path existing(const std::filesystem::path& file, const char* needed_for) {
  if (std::filesystem::exists(file)) return file;
  throw failure(exit_status::parts_missing,
                fmt::format("this installation has no part for {}: {} is missing", needed_for, file.string()),
                fmt::format("build and install mana where {}'s headers and libraries are installed", needed_for));
}

}  // namespace

std::vector<live_mpi> installed_mpis() { return read_live_mpis(from_command(MANA_LIBEXEC_FROM_BIN)); }

std::filesystem::path find_lower_half(const std::optional<live_mpi>& live) {
  const std::string name = live ? live->name : short_name(mpi_name::none);
  return existing(from_command(MANA_LIBEXEC_FROM_BIN) / ("mana-lower-" + name), long_name(live ? live->family : mpi_name::none));
}

installed_parts find_parts(const mpi_choice& chosen) {
  const auto library = from_command(MANA_LIB_FROM_BIN);
  installed_parts parts{find_lower_half(chosen.live),
                        existing(library / fmt::format("libmana-{}.so", short_name(chosen.abi)), long_name(chosen.abi)), {}};
  parts.preload = parts.wrappers.string();
  if (const mpi_family* const family = family_of(chosen.abi))
    any_in(family->sonames, [&](const char* soname) {
      const auto stand_in = library / fmt::format("libmana-{}-{}.so", short_name(chosen.abi), soname);
      if (std::filesystem::exists(stand_in)) parts.preload += ":" + stand_in.string();
      return false;
    });
  return parts;
}

std::filesystem::path guide_directory() {
  return from_command(MANA_SHARE_FROM_BIN) / "guide";
}

}  // namespace mana::tools
