// The runtime's own objects of the live MPI. start() makes them, and finish() frees them.
#pragma once
#include <mpi.h>

namespace mana::real_mpi {

/// Communicators that no program sees, so that no message of the runtime matches one of the program's. These,
/// MPI_COMM_WORLD and MPI_COMM_SELF have MPI_ERRORS_RETURN: an error never ends the process in the lower half.
struct own_state {
  MPI_Comm world = MPI_COMM_NULL;      // same members and order as MPI_COMM_WORLD
  MPI_Comm mail = MPI_COMM_NULL;       // as world, for drain_mail.hpp
  MPI_Comm self = MPI_COMM_NULL;
  MPI_Comm lone = MPI_COMM_NULL;       // as self, for lone_collective.hpp
  MPI_Comm parity = MPI_COMM_NULL;     // as world, for messages of parity; with --redundancy only
  MPI_Group world_group = MPI_GROUP_NULL;
  int host_ranks = 1, host_cores = 1;  // ranks on this host; cores that any of them may use
  unsigned polls_before_yield = 1024;  // polls without success before a waiting thread offers its core to others
};
own_state& own() noexcept;

}  // namespace mana::real_mpi
