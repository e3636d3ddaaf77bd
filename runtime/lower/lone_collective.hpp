// Where non-blocking collectives of a single process run.
#pragma once
#include <runtime/lower/own_state.hpp>

#include <mana/gen/family.hpp>

#include <mpi.h>

namespace mana::real_mpi {

/// Where family::lone_collectives_send_to_program, such a collective's messages have the numbers of the collectives begun on the
/// communicator for tags, which a restart, where it is new, begins anew. Alone any communicator is as good as another: they run on
/// one that no program has.
/// out: the communicator to start it on. Those of neighbours stay, for their topology
inline MPI_Comm without_messages_of_program(MPI_Comm comm) noexcept {
  if constexpr (!family::lone_collectives_send_to_program) return comm;
  int size = 0, is_inter = 0;
  if (PMPI_Comm_size(comm, &size) == MPI_SUCCESS && size == 1 && PMPI_Comm_test_inter(comm, &is_inter) == MPI_SUCCESS &&
      is_inter == 0)
    return own().lone;
  return comm;
}

}  // namespace mana::real_mpi
