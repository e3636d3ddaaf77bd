// A process of the program becomes another program: until MPI starts, mana goes along.
//
// INV-63 until the job's MPI has started in it, no process under mana of a job with MPI becomes a dynamically linked program without
// mana.
// Because: a rank is the process that calls MPI_Init, and launchers start it through other programs (env, numactl,
// shells and their children). Which program calls MPI_Init cannot be seen beforehand: interpreters load MPI when they
// run.
#pragma once
#include <string>
#include <vector>

namespace mana::split {

enum class followed {
  rank,           // this process is the rank's, and any child of it may be the one that calls MPI_Init
  child,          // this process itself is a child of the rank's
  process_alone,  // this process and none of its children: a program without MPI, whose children are its own
};

/// What this process, and all that come from it, execute from now on is given to `tool follow` instead:
///     tool follow ROLE MASK FILE INPUT WORDS… ARGUMENTS…
/// ROLE: rank, of this process itself, or child; MASK: the signals that are blocked, hexadecimal; FILE: what was to be
/// executed; INPUT: bytes that this process has read of its standard input; ARGUMENTS: its argv. The environment is the
/// program's. What the kernel would not execute it refuses as natively.
/// in:     words     WORDS; their number must be among them
///         whose     processes that mana goes along with
/// Before the upper half starts.
void follow_executions(const std::string& tool, const std::vector<std::string>& words, followed whose);

/// True in a child of the program that has executed nothing yet: what it has of the lower half is a copy.
bool is_forked_copy() noexcept;

/// MPI starts in this process: what it executes and what its children become is no part of the job any more.
void end_following() noexcept;

}  // namespace mana::split
