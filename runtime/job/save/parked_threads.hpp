// The upper half's threads, as the control of checkpoints sees them.
#pragma once
#include <string>

namespace mana::job {

/// The park signal to every running thread. One that is created at this moment looks at the phase itself (split::publish).
void signal_threads();

/// Whether every thread is parked but the one that runs the checkpoint.
bool all_parked();

/// Those that run still: "thread 17 (its name) in MPI_Recv, thread ..."; MPI's name for those that are in a wrapper.
/// in: but_main  the one that runs the checkpoint does so already
std::string unparked(bool but_main);

}  // namespace mana::job
