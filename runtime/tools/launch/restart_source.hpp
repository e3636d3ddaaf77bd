// The facts that `mana restart` knows of the checkpoint before the ranks choose one together: where it may be, and over
// which MPI it was made.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>
#include <runtime/tools/options/run_options.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace mana::tools {

struct restart_source {
  std::optional<mpi_name> made_with;     // family of the live MPI, or none; nothing: this mana does not know the family
  std::string where;                     // for people: the checkpoint, or the image on this node, that gives the facts
  std::filesystem::path directory;       // of checkpoints, absolute
  std::filesystem::path generation;      // that the user named; empty: none
  bool is_seen = true;                   // false: this rank cannot see the directory or its contents; others may
};

/// Reads the newest checkpoint with a readable manifest, or a newer image on this node. If there is neither, but the
/// directory was used with --local, the MPI is this mpirun's: other nodes may have images. The same applies if other
/// ranks may see files that this rank does not.
/// errors: failure
restart_source find_restart_source(const run_options& options, const launcher& started_by);

}  // namespace mana::tools
