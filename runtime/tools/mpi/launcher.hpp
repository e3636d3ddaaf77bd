// Which MPI is meant: what the program was linked with, and what started it.
#pragma once
#include <runtime/tools/mpi/library_closure.hpp>
#include <runtime/words/mpi_families.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mana::tools {

using mana::mpi_name;

/// "none", or the family's: as in --mpi and in the names of the lower halves.
const char* short_name(mpi_name mpi);
/// "no MPI", or the family's: for people, and in checkpoints.
const char* long_name(mpi_name mpi);
/// The MPI of a short name; nothing for another word.
std::optional<mpi_name> parse_mpi_name(const std::string& text);
/// The MPI of a long name; nothing for another text.
std::optional<mpi_name> mpi_of_checkpoint(const std::string& text);

/// Value of an environment variable, or nullptr; getenv's form, so that tests can give their own.
using environment = std::function<const char*(const char*)>;

/// What the environment says about the launcher.
struct launcher {
  std::optional<mpi_name> mpi;   // nothing: no launcher seen, the program runs as a single rank
  bool certain = false;          // false: this environment is also made for the other MPI (e.g. by a batch system)
  int rank = -1;                 // rank in the job, -1 if unknown
  int node_rank = 0;             // rank among those of this node
};
launcher find_launcher(const environment& get);

/// There may be other ranks, which meet in the start of this MPI: what only one may have met is said there, with its rank.
inline bool has_others(const launcher& started_by) noexcept {
  return started_by.mpi.has_value() && started_by.certain && started_by.rank >= 0;
}

/// What the names of a program's libraries say.
struct linked_mpi {
  std::vector<mpi_name> found;       // without repetition
  std::vector<std::string> foreign;  // MPI libraries for which there is no lower half
};
linked_mpi find_linked_mpi(const std::vector<loaded_library>& closure);

/// A program and its surroundings, as far as the choice of an MPI needs them.
struct mpi_evidence {
  std::string program;                 // for messages
  linked_mpi linked;
  launcher started_by;
  std::optional<mpi_name> wanted;      // --mpi
};

/// The MPI to run with. An explicit --mpi decides, then the program's libraries, then the launcher; where none of them names
/// one, the program runs without. A script or an interpreter may load one later: that is refused when it calls MPI_Init.
/// errors: failure: the two disagree, several MPIs, a foreign MPI.
mpi_name choose_mpi(const mpi_evidence& evidence);

}  // namespace mana::tools
