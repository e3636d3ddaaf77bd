// An end of the process by the live MPI.
#pragma once

namespace mana::job {

/// From now on, if the live MPI calls exit() on the calling thread, the program's exit() runs instead. In a native run
/// that is the same function: it runs the program's exit handlers and flushes its streams. The thread is in a crossing.
void let_program_exit() noexcept;

}  // namespace mana::job
