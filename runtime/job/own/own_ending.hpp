// The process's end by the live MPI.
#pragma once

namespace mana::job {

/// What the live MPI ends by exit() on the calling thread from now on, ends by the program's exit(): natively that is
/// the same one, which runs the program's handlers and writes out its streams. The thread is in a crossing.
void let_program_exit() noexcept;

}  // namespace mana::job
