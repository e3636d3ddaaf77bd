// `mana restart`: from a checkpoint's images to running ranks.
#pragma once

namespace mana::job {

/// Starts MPI, restores this rank's image and continues the program. A failure of one rank ends all ranks
/// (agreement.hpp).
/// errors: start_failure for problems before MPI runs
[[noreturn]] void restart_program();

}  // namespace mana::job
