// The thread level with which a restart starts MPI, before the ranks choose the checkpoint.
#pragma once
#include <optional>

namespace mana::job {

/// Reads this rank's newest readable image, or a newer image of another rank on its node.
/// out: the level that the program asked of MPI_Init_thread; nothing if there is no image
std::optional<int> recorded_thread_level() noexcept;

}  // namespace mana::job
