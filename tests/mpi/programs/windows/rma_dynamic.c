// Dynamic windows: memory is attached and detached across steps, displacements are addresses that others were told once.
#include "memory.h"

enum { most = 3000, places = 3 };
struct block {
  int put[most], shown[most], sum;
};
static struct block fixed FOR_A_WINDOW;
static struct block* made[places];
static MPI_Aint fixed_of[64], made_of[places][64];
static MPI_Win win;
static int in[most], out[most];

static void tell(const void* mine, MPI_Aint* all) {
  MPI_Aint address;
  OK(MPI_Get_address(mine, &address));
  OK(MPI_Allgather(&address, 1, MPI_AINT, all, 1, MPI_AINT, MPI_COMM_WORLD));
}

static MPI_Aint at(MPI_Aint base, size_t offset) { return MPI_Aint_add(base, (MPI_Aint)offset); }

static void use(struct block* b, const MPI_Aint* of, int k) {
  const int n = 1 + k * 31 % most;
  int one = me + 1;
  fill(b->shown, n, me, 5, k);
  b->sum = 0;
  OK(MPI_Win_sync(win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  fill(out, n, me, right, k);
  OK(MPI_Put(out, n, MPI_INT, right, at(of[right], offsetof(struct block, put)), n, MPI_INT, win));
  OK(MPI_Get(in, n, MPI_INT, left, at(of[left], offsetof(struct block, shown)), n, MPI_INT, win));
  for (int r = 0; r < ranks; ++r)
    OK(MPI_Accumulate(&one, 1, MPI_INT, r, at(of[r], offsetof(struct block, sum)), 1, MPI_INT, MPI_SUM, win));
  OK(MPI_Win_flush_all(win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Win_sync(win));
  SAME(in, n, left, 5, k);
  SAME(b->put, n, left, me, k);
  CHECK(b->sum == ranks * (ranks + 1) / 2, "%d, step %d", b->sum, k);
}

static void drop(struct block** b) {
  if (*b == NULL) return;
  OK(MPI_Win_detach(win, *b));
  free(*b);
}

/// Each lives for `places` steps.
static void attach(int k) {
  struct block** b = &made[k % places];
  OK(MPI_Barrier(MPI_COMM_WORLD));
  drop(b);
  *b = aligned_alloc(64, (sizeof **b + 63) / 64 * 64);
  memset(*b, 0, sizeof **b);
  OK(MPI_Win_attach(win, *b, sizeof **b));
  tell(*b, made_of[k % places]);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  CHECK(ranks <= 64);
  OK(MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &win));
  OK(MPI_Win_attach(win, &fixed, sizeof fixed));
  tell(&fixed, fixed_of);
  OK(MPI_Win_lock_all(0, win));
  for (int k = 0; k < steps; ++k) {
    attach(k);
    step(k);
    use(&fixed, fixed_of, k);
    use(made[k % places], made_of[k % places], k);
    if (k > 0) use(made[(k - 1) % places], made_of[(k - 1) % places], k);
  }
  OK(MPI_Win_unlock_all(win));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  for (int p = 0; p < places; ++p)
    drop(&made[p]);
  OK(MPI_Win_detach(win, &fixed));
  OK(MPI_Win_free(&win));
  return finish();
}
