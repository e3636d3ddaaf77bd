// A process of the program executes another program. Until MPI starts, mana follows.
//
// INV-63 in a job with MPI, a process under mana executes no dynamically linked program without mana until MPI starts
// in it.
// Because: a rank is the process that calls MPI_Init, and launchers start it through other programs (env, numactl,
//          shells and their children). Nobody can tell beforehand which program calls MPI_Init: interpreters load MPI
//          when they run.
#pragma once
#include <string>
#include <vector>

namespace mana::split {

enum class followed {
  rank,           // this process is the rank's, and any child of it may be the one that calls MPI_Init
  child,          // this process itself is a child of the rank's
  process_alone,  // this process and none of its children: a program without MPI, whose children are its own
};

/// From now on, executions by this process and its descendants start `tool follow` instead:
///     tool follow ROLE MASK FILE INPUT WORDS… ARGUMENTS…
/// - ROLE       rank, for this process itself, or child
/// - MASK       the blocked signals, in hexadecimal
/// - FILE       the program's file
/// - INPUT      the number of bytes that this process has read from its standard input
/// - ARGUMENTS  the program's argv
/// The environment is the program's. The kernel still refuses files that it cannot execute. Call it before the upper
/// half starts.
/// in:     words     WORDS; their number must be among them
///         whose     processes that mana follows
void follow_executions(const std::string& tool, const std::vector<std::string>& words, followed whose);

/// Whether this process is a child of the program that has executed nothing yet: its lower half is a copy.
bool is_forked_copy() noexcept;

/// MPI starts in this process. Programs that the process and its children execute no longer belong to the job.
void end_following() noexcept;

}  // namespace mana::split
