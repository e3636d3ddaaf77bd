// Finds the parts of this installation relative to the command. Any prefix works, and so does a build tree, which has
// the same layout.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>

#include <filesystem>
#include <string>

namespace mana::tools {

struct installed_parts {
  std::filesystem::path lower_half;   // PREFIX/libexec/mana/mana-lower-<mpi>
  std::filesystem::path wrappers;     // PREFIX/<lib>/mana/libmana-<mpi>.so
  std::string preload;                // wrappers, and stand-ins beside it for other libraries of the MPI; colons between
};

/// Both parts for `mpi`. errors: failure (parts_missing) that names the missing file
installed_parts find_parts(mpi_name mpi);

/// PREFIX/share/mana/guide: the pages of `mana help`.
std::filesystem::path guide_directory();

}  // namespace mana::tools
