// Many windows at once: the third argument says how many. In each step a number goes round by fences of one window, and by locks of
// another. The last window's communicator is freed at once.
#include "memory.h"

enum { most = 1024 };
struct memory {
  int fenced, locked, padding[14];
};
static struct memory own[most] FOR_A_WINDOW;
static MPI_Win all[most];

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  const int n = argc > 3 ? atoi(argv[3]) : 50;
  CHECK(n > 0 && n <= most, "%d windows", n);
  for (int w = 0; w + 1 < n; ++w) all[w] = create_window(&own[w], sizeof own[w], 1);
  MPI_Comm other;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &other));
  OK(MPI_Win_create(&own[n - 1], sizeof own[n - 1], 1, MPI_INFO_NULL, other, &all[n - 1]));
  OK(MPI_Comm_free(&other));
  for (int k = 0; k < steps; ++k) {
    const int fenced = k * 7 % n, locked = (k * 11 + 3) % n, number = val(me, right, k, 0);
    OK(MPI_Win_fence(0, all[fenced]));
    OK(MPI_Put(&number, 1, MPI_INT, right, AT(memory, fenced), 1, MPI_INT, all[fenced]));
    OK(MPI_Win_fence(MPI_MODE_NOSUCCEED, all[fenced]));
    CHECK(own[fenced].fenced == val(left, me, k, 0), "step %d: %d", k, own[fenced].fenced);
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, all[locked]));
    OK(MPI_Put(&number, 1, MPI_INT, right, AT(memory, locked), 1, MPI_INT, all[locked]));
    OK(MPI_Win_unlock(right, all[locked]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, all[locked]));
    CHECK(own[locked].locked == val(left, me, k, 0), "step %d: %d", k, own[locked].locked);
    OK(MPI_Win_unlock(me, all[locked]));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    got_int(own[fenced].fenced);
    step(k);
  }
  for (int w = 0; w < n; ++w) OK(MPI_Win_free(&all[w]));
  return finish();
}
