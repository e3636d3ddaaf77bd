// The wrapper library in a process that has no lower half: a program that runs without mana, with mana's LD_PRELOAD.
#pragma once

namespace mana::wrappers {

/// What wrappers look at on their way is there: a thread's block, which all threads share, and a bridge. What needs no
/// MPI works (MPI_Initialized, MPI_Get_version); what would enter the lower half says that there is none, and ends the
/// process. Before, all this is memory that is not mapped.
void stand_alone() noexcept;

}  // namespace mana::wrappers
