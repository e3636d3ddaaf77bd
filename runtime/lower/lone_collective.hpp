// The communicator for non-blocking collectives of a single process.
#pragma once
#include <runtime/lower/own_state.hpp>

#include <mana/gen/family.hpp>

#include <mpi.h>

namespace mana::real_mpi {

/// If family::lone_collectives_send_to_program holds, the messages of such a collective have tags that count the
/// collectives of the communicator. After a restart the communicator is new, and its count begins again. With one
/// process any communicator will do, so these collectives run on a communicator that the program does not have.
/// out: the communicator to start it on. Neighbourhood collectives keep theirs, for its topology
inline MPI_Comm without_messages_of_program(MPI_Comm comm) noexcept {
  if constexpr (!family::lone_collectives_send_to_program) return comm;
  int size = 0, is_inter = 0;
  if (PMPI_Comm_size(comm, &size) == MPI_SUCCESS && size == 1 && PMPI_Comm_test_inter(comm, &is_inter) == MPI_SUCCESS &&
      is_inter == 0)
    return own().lone;
  return comm;
}

}  // namespace mana::real_mpi
