// The table with which the upper half calls the runtime.
#pragma once
#include <mana/lower/abi.hpp>

namespace mana::job {

const lower::services& the_services() noexcept;

/// Starts MPI and the control of checkpoints, for MPI_Init and for a restart.
/// errors: neutral error class
int start_mpi(int required, int* provided);

}  // namespace mana::job
