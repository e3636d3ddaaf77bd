// What MPI has to be started with before the checkpoint is chosen.
#pragma once
#include <optional>

namespace mana::job {

/// What MPI_Init_thread was asked for by the program, as this rank's newest image that can be read says; if its node has
/// one of another rank that is newer, that. Nothing if there is none.
std::optional<int> recorded_thread_level() noexcept;

}  // namespace mana::job
