// Live windows. The upper half makes, uses and frees them by MPI's functions; their beginning needs constants of mpi.h. A
// job that a checkpoint ends leaves its windows, and the program may leave some too. The live MPI's end would meet them in
// an open epoch, in which MPICH over UCX crashes.
#include <runtime/lower/convert.hpp>
#include <runtime/lower/real_mpi.hpp>

#include <algorithm>
#include <mutex>
#include <vector>

namespace mana::real_mpi {

namespace {

/// Windows that were entered and not freed, in the order of their beginning. That order is the same on all members.
struct entered_windows {
  std::mutex lock;
  std::vector<MPI_Win> all;
  int key = MPI_KEYVAL_INVALID;        // of the attribute by which the live MPI tells that a window is freed
};
entered_windows& entered() noexcept {
  static auto& windows = *new entered_windows;
  return windows;
}

int forget(MPI_Win win, int, void*, void*) {
  entered_windows& windows = entered();
  const std::lock_guard hold(windows.lock);
  std::erase(windows.all, win);
  return MPI_SUCCESS;
}

int remember(MPI_Win win) {
  entered_windows& windows = entered();
  {
    const std::lock_guard hold(windows.lock);
    if (windows.key == MPI_KEYVAL_INVALID)
      if (const int rc = PMPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, forget, &windows.key, nullptr); rc != MPI_SUCCESS)
        return rc;
    windows.all.push_back(win);
  }
  return PMPI_Win_set_attr(win, windows.key, nullptr);
}

}  // namespace

int win_enter(real<kind::win> win) {
  const MPI_Win live = to_mpi(win);
  int rc = PMPI_Win_set_errhandler(live, MPI_ERRORS_RETURN);
  if (rc == MPI_SUCCESS) rc = PMPI_Win_lock_all(MPI_MODE_NOCHECK, live);
  if (rc == MPI_SUCCESS) rc = remember(live);
  return rc == MPI_SUCCESS ? int{neutral::success} : neutral_error(rc);
}

void end_windows() {
  entered_windows& windows = entered();
  std::vector<MPI_Win> left;
  {
    const std::lock_guard hold(windows.lock);
    left = windows.all;
  }
  for (MPI_Win win : left) {
    PMPI_Win_unlock_all(win);
    PMPI_Win_free(&win);
  }
  if (windows.key != MPI_KEYVAL_INVALID) PMPI_Win_free_keyval(&windows.key);
}

}  // namespace mana::real_mpi
