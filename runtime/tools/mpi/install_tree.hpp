// Finds the parts of this installation relative to the command. Any prefix works, and so does a build tree, which has
// the same layout.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>

#include <filesystem>
#include <string>

namespace mana::tools {

struct installed_parts {
  std::filesystem::path lower_half;   // PREFIX/libexec/mana/mana-lower-<live MPI>
  std::filesystem::path wrappers;     // PREFIX/<lib>/mana/libmana-<ABI>.so
  std::string preload;                // wrappers, and stand-ins beside it for other libraries of the MPI; separated by colons
};

/// The MPIs that programs can run over here.
std::vector<live_mpi> installed_mpis();

/// Both parts. errors: failure (parts_missing) naming the missing file.
installed_parts find_parts(const mpi_choice& chosen);

/// The lower half of a live MPI; nothing: the one without. errors: failure (parts_missing) naming the missing file.
std::filesystem::path find_lower_half(const std::optional<live_mpi>& live);

/// PREFIX/share/mana/guide: the pages of `mana help`.
std::filesystem::path guide_directory();

}  // namespace mana::tools
