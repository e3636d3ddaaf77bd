// The wrapper library in a process without a lower half: a program with mana's LD_PRELOAD that runs without mana.
#pragma once

namespace mana::wrappers {

/// Makes the memory that wrappers look at: a thread's block, which all threads share, and a bridge. Functions that need
/// no MPI work (MPI_Initialized, MPI_Get_version). A call into the lower half says that none exists, and ends the
/// process. Before this call the memory is not mapped.
void stand_alone() noexcept;

}  // namespace mana::wrappers
