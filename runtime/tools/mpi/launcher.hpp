// Determines the MPI: from the program's libraries, and from the launcher.
#pragma once
#include <runtime/tools/mpi/library_closure.hpp>
#include <runtime/words/mpi_families.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mana::tools {

using mana::mpi_name;

/// "none", or the name of the family, as in --mpi and in the names of the lower halves.
const char* short_name(mpi_name mpi);
/// "no MPI", or the name of the family, for people and in checkpoints.
const char* long_name(mpi_name mpi);
/// The MPI of a short name; nothing for another word.
std::optional<mpi_name> parse_mpi_name(const std::string& text);
/// The MPI of a long name; nothing for another text.
std::optional<mpi_name> mpi_of_checkpoint(const std::string& text);

/// Value of an environment variable, or nullptr; getenv's form, so that tests can give their own.
using environment = std::function<const char*(const char*)>;

/// The launcher, as the environment shows it.
struct launcher {
  std::optional<mpi_name> mpi;   // nothing: no launcher is seen, and the program runs as a single rank
  bool certain = false;          // false: another MPI's launcher makes this environment too (e.g. a batch system)
  int rank = -1;                 // rank in the job, -1 if unknown
  int node_rank = 0;             // rank among those of this node
};
launcher find_launcher(const environment& get);

/// True if there may be other ranks, which meet in the start of this MPI. A problem that only one rank may have is
/// reported there, with its rank.
inline bool has_others(const launcher& started_by) noexcept {
  return started_by.mpi.has_value() && started_by.certain && started_by.rank >= 0;
}

/// The MPI libraries among a program's libraries.
struct linked_mpi {
  std::vector<mpi_name> found;       // without repetition
  std::vector<std::string> foreign;  // MPI libraries without a lower half
};
linked_mpi find_linked_mpi(const std::vector<loaded_library>& closure);

/// The facts about a program and its launcher that decide which MPI it needs.
struct mpi_evidence {
  std::string program;                 // for messages
  linked_mpi linked;
  launcher started_by;
  std::optional<mpi_name> wanted;      // --mpi
};

/// Chooses the MPI. An explicit --mpi decides, then the program's libraries, then the launcher; if none of them names
/// an MPI, the program runs without one. If a script or an interpreter then loads an MPI, its call of MPI_Init is
/// refused.
/// errors: failure: launcher and program disagree, several MPIs, an unknown MPI
mpi_name choose_mpi(const mpi_evidence& evidence);

}  // namespace mana::tools
