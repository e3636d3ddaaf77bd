// Collectives that the runtime makes by itself. On a communicator of its own: what a drain needs, and progress for
// others. On the program's: trivial barriers.
#include "convert.hpp"
#include "own_state.hpp"
#include "real_mpi.hpp"

namespace mana::real_mpi {

int exchange_counts(const std::uint64_t* sent, std::uint64_t* expected) {
  const int rc = PMPI_Alltoall(sent, 1, MPI_UINT64_T, expected, 1, MPI_UINT64_T, own().world);
  return rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc);
}

/// Only the thread that called MPI_Init drains, so one barrier at a time is under way.
int drain_barrier() {
  static MPI_Request barrier = MPI_REQUEST_NULL;
  if (barrier == MPI_REQUEST_NULL && PMPI_Ibarrier(own().world, &barrier) != MPI_SUCCESS) return 0;
  int entered = 0;
  PMPI_Test(&barrier, &entered, MPI_STATUS_IGNORE);
  return entered != 0 ? 1 : 0;
}

/// Where it cannot begin it is over at once: the program's collective, which comes next, meets the same error.
std::uint64_t begin_barrier(std::uint64_t comm) {
  MPI_Request barrier = MPI_REQUEST_NULL;
  PMPI_Ibarrier(to_real<kind::comm>(comm), &barrier);
  return to_neutral(barrier);
}

bool is_barrier_over(std::uint64_t& request) {
  MPI_Request barrier = to_real<kind::request>(request);
  int over = 0;
  PMPI_Test(&barrier, &over, MPI_STATUS_IGNORE);
  request = to_neutral(barrier);
  return over != 0;
}

void make_progress() {
  int ignored = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own().world, &ignored, MPI_STATUS_IGNORE);
}

}  // namespace mana::real_mpi
