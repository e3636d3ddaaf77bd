// Ends a rank's process before MPI runs, so that its job ends too.
#pragma once
#include <runtime/job/start_failure.hpp>

#include <string>

namespace mana::job {

/// The rank that prints a failure which several ranks may meet.
enum class speaker { this_rank, another };

/// How long a rank waits for another rank to print their common failure and to end the job, in ms.
inline constexpr int others_speak_ms = 1000;

/// Prints the text, one or more lines, and ends this process and its job with the status. If a process exits before it
/// has begun MPI, MPICH's launcher does not end the job: the other ranks would wait in MPI_Init forever. So this
/// function tells the launcher, as MPI_Abort would, in the protocol PMI-1, which Slurm understands too. Open MPI's
/// launcher sees the status.
/// If another rank speaks, its launcher ends this process within others_speak_ms. If not, no other rank met the
/// failure, and this rank prints it: the others run another program. Under a launcher that does not end jobs this way,
/// this process only exits.
[[noreturn]] void end_rank(const std::string& text, int status, speaker who) noexcept;

/// As end_rank(), for a lower half. Rank 0 speaks, or this rank if the failure is its own.
[[noreturn]] void end_alone(const start_failure& failure) noexcept;

}  // namespace mana::job
