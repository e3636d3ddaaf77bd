// The control of this rank's checkpoints, and how it is joined to the rest of the lower half.
#pragma once
#include <runtime/control/rank_control.hpp>

namespace mana::job {

control::rank_control& control_of_job() noexcept;

/// Starts the agent, and the process's coordinator or relay. Collective over the runtime's world.
void begin_control();
/// The same before MPI runs: ranks find each other by the job's file, and none waits for that. A job whose ranks cannot, or
/// that has too many, is told so when it asks for a checkpoint. Never fails: without it, checkpoints are possible from
/// MPI_Init on.
void begin_control_by_file() noexcept;
/// After begin_node_images(), which it calls. In a job that was restarted, and is in that stage: MPI runs. Collective.
void begin_control_again(control::stage where);
/// When the program's MPI ends: from now on no MPI is needed. MPI still runs; collective.
void begin_control_after_mpi() noexcept;

/// Where the image's program stands.
control::stage stage_of_program() noexcept;

}  // namespace mana::job
