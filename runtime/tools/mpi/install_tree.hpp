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

/// The MPIs that programs can run over here: those of the installation, and those that the user has added for this one.
std::vector<live_mpi> installed_mpis();

/// The user's own lower halves for this installation. Empty: the user has no home directory.
std::filesystem::path own_mpis_directory();

/// The script of `mana add-mpi`, and what it builds lower halves of. errors: failure (parts_missing)
std::filesystem::path find_add_mpi();

/// Both parts. errors: failure (parts_missing) naming the missing file.
installed_parts find_parts(const mpi_choice& chosen);

/// Stand-ins for libraries of the ABI under sites' names, such as libmpi_gnu_123.so.12, which the wrapper library does not have.
/// in:     directory  where they are made, for all nodes: the job's directory of checkpoints
/// out:    ":FILE:FILE", for installed_parts::preload
/// errors: failure (directory_unwritable)
std::string make_stand_ins(mpi_name abi, const linked_mpi& linked, const std::filesystem::path& directory);

/// The lower half of a live MPI; nothing: the one without. errors: failure (parts_missing) naming the missing file.
std::filesystem::path find_lower_half(const std::optional<live_mpi>& live);

/// PREFIX/share/mana/guide: the pages of `mana help`.
std::filesystem::path guide_directory();

}  // namespace mana::tools
