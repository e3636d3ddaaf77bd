// `mana restart`: from a checkpoint's images to running ranks.
#pragma once

namespace mana::job {

/// Starts MPI, restores this rank's image and continues it. Failures of one rank end all alike (agreement.hpp).
/// errors: start_failure for what is wrong before MPI runs
[[noreturn]] void restart_program();

}  // namespace mana::job
