// How a rank's process ends before MPI runs, so that its job ends as well.
#pragma once
#include <runtime/job/start_failure.hpp>

#include <string>

namespace mana::job {

/// Who says a failure that several ranks may meet.
enum class speaker { this_rank, another };

/// How long a rank leaves it to another one to say what both have met, and to end the job, ms.
inline constexpr int others_speak_ms = 1000;

/// Says the text, one or more lines, and ends this process and its job with the status. MPICH's launcher does not end a job one
/// of whose processes has exited before it began MPI: the others wait for it in MPI_Init for ever. So it is told, as by
/// MPI_Abort, in the words of PMI-1, which Slurm's understands too. Open MPI's sees the status.
/// Where another rank speaks, its launcher ends this process before others_speak_ms are over, and if not, there is no such rank:
/// the others run another program, or do not meet the failure. Under a launcher that does not end jobs so, it only exits.
[[noreturn]] void end_rank(const std::string& text, int status, speaker who) noexcept;

/// The same, of a lower half. Rank 0 speaks, or this rank where the failure is its own.
[[noreturn]] void end_alone(const start_failure& failure) noexcept;

}  // namespace mana::job
