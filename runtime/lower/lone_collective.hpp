// Where non-blocking collectives of a single process run.
#pragma once
#include <runtime/lower/own_state.hpp>

#include <mpi.h>

namespace mana::real_mpi {

/// MPICH (4.0.2) sends the messages of such a collective among those of the program on the same communicator: its 287th tag
/// and those after it are the numbers of the collectives begun there, which a restart, where the communicator is new, begins
/// anew. Alone any communicator is as good as another: they run on one that no program has.
/// out: the communicator to start it on. Those of neighbours stay, for their topology
inline MPI_Comm without_messages_of_program(MPI_Comm comm) noexcept {
#if defined(MPICH_VERSION)
  int size = 0, is_inter = 0;
  if (PMPI_Comm_size(comm, &size) == MPI_SUCCESS && size == 1 && PMPI_Comm_test_inter(comm, &is_inter) == MPI_SUCCESS &&
      is_inter == 0)
    return own().lone;
#endif
  return comm;
}

}  // namespace mana::real_mpi
