// Determines the two MPIs: the one that the program was built with, and the live one, whose launcher started it.
#pragma once
#include <runtime/tools/mpi/library_closure.hpp>
#include <runtime/tools/mpi/live_mpis.hpp>
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
  std::vector<std::string> sonames = {};   // of the families' C libraries, as the program's libraries name them
};
linked_mpi find_linked_mpi(const std::vector<loaded_library>& closure);

/// The facts about a program and its surroundings that decide which MPIs it gets.
struct mpi_evidence {
  std::string program;                              // for messages
  linked_mpi linked;
  launcher started_by;
  std::string wanted;                               // --mpi; empty: not given
  std::optional<mpi_name> wanted_abi;               // --abi
  std::vector<live_mpi> installed;
  std::vector<std::filesystem::path> started_from;  // the launchers that started this process, nearest first
};

/// The program's ABI and the live MPI are chosen apart: a program built with one MPI runs over another.
struct mpi_choice {
  mpi_name abi{};                  // of the wrapper library; none: a program without MPI
  std::optional<live_mpi> live;    // nothing with none
};

/// The program's ABI: --abi, then its libraries, then that of the live MPI. A script or an interpreter may load a library later;
/// if that has another ABI, MPI_Init refuses it. The live MPI: --mpi, then the launcher, then one of the program's family.
/// A program of which nothing names an MPI runs without.
/// errors: failure: --mpi and the launcher disagree; libraries of two MPIs, or of an unknown one; no such live MPI here.
///         launcher_unknown: no live MPI of the launcher's family here
mpi_choice choose_mpi(const mpi_evidence& evidence);

/// A warning for a choice among several: the other live MPIs, and how to choose. Empty: the choice was clear.
std::string remark_on(const live_mpi& chosen, const mpi_evidence& evidence);

/// For people: "MPICH", or "a program of MPICH over openmpi" where they differ.
std::string described(const mpi_choice& chosen);

/// The live MPI for a checkpoint that was made over one of the family `made_with`: --mpi, then the launcher, then one of that
/// family, then any.      errors: failure, as choose_mpi
std::optional<live_mpi> choose_live(const mpi_evidence& evidence, std::optional<mpi_name> made_with);

/// Files of the programs that started this process, nearest first.
std::vector<std::filesystem::path> programs_of_ancestors();

/// The launchers among these programs, in their order. A shell, which may lie beside some mpirun too, is none.
std::vector<std::filesystem::path> launchers_among(std::vector<std::filesystem::path> programs);

}  // namespace mana::tools
