// What MPI has to be started with before the checkpoint is chosen.
#pragma once

namespace mana::run {

/// What MPI_Init_thread was asked for by the program, as this rank's newest image that can be read says; if its node has
/// one of another rank that is newer, that. If there is none: the highest with --local, since what was lost with the node may
/// be rebuilt, and more than the program asked for is right, too; else 0, and the ranks will say why together, once MPI runs.
int recorded_thread_level() noexcept;

}  // namespace mana::run
