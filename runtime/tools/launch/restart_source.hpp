// What `mana restart` can know of the checkpoint before the ranks choose it together: where it may be, and over which MPI
// it was made.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>
#include <runtime/tools/options/run_options.hpp>

#include <filesystem>
#include <optional>
#include <string>

namespace mana::tools {

struct restart_source {
  std::optional<mpi_name> made_with;     // the live MPI's family, or none; nothing: a family that this mana does not know
  std::string where;                     // what says so, for people: a checkpoint, or an image on this node
  std::filesystem::path directory;       // of checkpoints, absolute
  std::filesystem::path generation;      // that the user named himself; empty: none
  bool is_seen = true;                   // false: this rank cannot see the directory, or what is in it; others may
};

/// Of the newest checkpoint whose manifest can be read, or an image on this node that is newer. Where there is neither but
/// the directory was used with --local, this mpirun's: other nodes may have images. So too where this rank cannot see what others
/// may see.
/// errors: failure
restart_source find_restart_source(const run_options& options, const launcher& started_by);

}  // namespace mana::tools
