// Live windows. The upper half makes and uses them by MPI's functions; only their beginning needs constants of mpi.h.
#include <runtime/lower/convert.hpp>
#include <runtime/lower/real_mpi.hpp>

namespace mana::real_mpi {

int win_enter(real<kind::win> win) {
  const MPI_Win live = to_mpi(win);
  int rc = PMPI_Win_set_errhandler(live, MPI_ERRORS_RETURN);
  if (rc == MPI_SUCCESS) rc = PMPI_Win_lock_all(MPI_MODE_NOCHECK, live);
  return rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc);
}

}  // namespace mana::real_mpi
