// The control of this rank's checkpoints, and its connections to the rest of the lower half.
#pragma once
#include <runtime/control/rank_control.hpp>

namespace mana::job {

control::rank_control& control_of_job() noexcept;

/// Starts the agent, and the process's coordinator or relay. Collective over the runtime's world.
void begin_control();
/// As begin_control(), before MPI runs: the ranks find each other through the job's file, and no rank waits for that.
/// If the ranks cannot connect, or the job has too many ranks, a request for a checkpoint is answered with that reason.
/// Never fails: without this control, checkpoints are possible from MPI_Init on.
void begin_control_by_file() noexcept;
/// For a restarted job whose program is in stage `where`. Calls begin_node_images() first. MPI runs. Collective.
void begin_control_again(control::stage where);
/// Called when the program's MPI ends: the control needs no MPI from now on. MPI still runs. Collective.
void begin_control_after_mpi() noexcept;

/// The stage of the image's program.
control::stage stage_of_program() noexcept;

}  // namespace mana::job
