// Windows over memory that MPI allocates: other sizes on each rank, on some none; made and freed in turn, so that several live
// at once. Peers write into each page, by puts and accumulates, and the addresses stay.
#include "memory.h"

enum { lasting = 3, most_pages = 40, page = 1024 };      // page: in int
struct allocated {
  MPI_Win win;
  int* base;
  int since;                                             // the step that made it
};
static struct allocated all[lasting];
static int out[most_pages];

static int pages_of(int rank, int since) { return (rank + since) % 3 == 2 ? 0 : 1 + (rank * 7 + since * 5) % most_pages; }
/// Steps write to places of a page in turn; behind them lies a sum.
static int place_of(int k) { return k * 13 % (page - 1); }

static void make(struct allocated* a, int k) {
  const size_t bytes = (size_t)pages_of(me, k) * page * sizeof(int);
  OK(MPI_Win_allocate((MPI_Aint)bytes, sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &a->base, &a->win));
  a->since = k;
  if (bytes > 0) memset(a->base, 0, bytes);
  OK(MPI_Barrier(MPI_COMM_WORLD));
}

static void write_into(const struct allocated* a, int k) {
  const int pages = pages_of(right, a->since), one = 1;
  OK(MPI_Win_lock_all(0, a->win));
  for (int p = 0; p < pages; ++p) {
    out[p] = val(me, p, k, a->since);
    OK(MPI_Put(&out[p], 1, MPI_INT, right, (MPI_Aint)p * page + place_of(k), 1, MPI_INT, a->win));
  }
  for (int r = 0; r < ranks; ++r)
    if (pages_of(r, a->since) > 0) OK(MPI_Accumulate(&one, 1, MPI_INT, r, page - 1, 1, MPI_INT, MPI_SUM, a->win));
  OK(MPI_Win_unlock_all(a->win));
}

/// By loads: what was written into this rank's memory in all steps since it was made.
static void look_at(const struct allocated* a, int k) {
  const int pages = pages_of(me, a->since);
  void* base = NULL;
  int flag = 0;
  OK(MPI_Win_get_attr(a->win, MPI_WIN_BASE, &base, &flag));
  CHECK(flag && (pages == 0 || base == a->base), "%p, not %p", base, (void*)a->base);
  OK(MPI_Win_lock(MPI_LOCK_SHARED, me, 0, a->win));
  for (int j = a->since; j <= k; ++j)
    for (int p = 0; p < pages; ++p) {
      const int found = a->base[p * page + place_of(j)];
      CHECK(found == val(left, p, j, a->since), "page %d: %d, of step %d in step %d", p, found, j, k);
    }
  if (pages > 0) {
    const int sum = a->base[page - 1], expected = ranks * (k + 1 - a->since);
    CHECK(sum == expected, "%d, not %d, in step %d", sum, expected, k);
    got_int(sum);
  }
  OK(MPI_Win_unlock(me, a->win));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  for (int k = 0; k < steps; ++k) {
    struct allocated* const next = &all[k % lasting];
    if (k >= lasting) OK(MPI_Win_free(&next->win));
    make(next, k);
    const int live = k < lasting ? k + 1 : lasting;
    for (int i = 0; i < live; ++i) write_into(&all[i], k);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    step(k);
    for (int i = 0; i < live; ++i) look_at(&all[i], k);
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  for (int i = 0; i < lasting && i < steps; ++i) OK(MPI_Win_free(&all[i].win));
  return finish();
}
