// The functions of the MPI that this lower half is linked with.
#pragma once
#include <mana/lower/abi.hpp>

namespace mana::lower {

/// All null in the lower half without MPI.
const mpi_slots& the_mpi_slots() noexcept;

}  // namespace mana::lower
