// Preparations of the live MPI's family, before MPI starts.
#pragma once

namespace mana::real_mpi {

/// A family that needs something has a file prepare_start.cpp. in: required: neutral thread level
void prepare_start(int required);

}  // namespace mana::real_mpi
