// The upper half's threads, for the control of checkpoints.
#pragma once
#include <string>

namespace mana::job {

/// Sends the park signal to every running thread. A thread that is created at this moment checks the phase itself
/// (split::publish).
void signal_threads();

/// True if every thread is parked except the one that runs the checkpoint.
bool all_parked();

/// out: the threads that still run: "thread 17 (its name) in MPI_Recv, thread ...", with the MPI function for threads
///      in a wrapper
/// in:  but_main  leaves out the thread that runs the checkpoint
std::string unparked(bool but_main);

}  // namespace mana::job
