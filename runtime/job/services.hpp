// The table that the upper half calls the runtime by.
#pragma once
#include <mana/lower/abi.hpp>

namespace mana::job {

const lower::services& the_services() noexcept;

/// Starts MPI and the control of checkpoints: what MPI_Init does, and what a restart does again.
/// errors: neutral error class
int start_mpi(int required, int* provided);

}  // namespace mana::job
