// Memory that only others write: the left rank puts a number into every page of this rank's windows, and stores one into every
// page that they share, while this rank touches nothing. What an image of changed pages lacks is found at the end.
#include "memory.h"

enum { page = 4096, pages = 300 };
/// Of a page: steps write to its numbers in turn.
struct memory {
  int numbers[pages][page / sizeof(int)];
};
static struct memory own __attribute__((aligned(4096)));
static struct memory *theirs, *shared, *of_right;
static MPI_Win over_own, over_theirs, over_shared;
static int out[2][pages];

static int place_of(int k) { return k * 13 % (page / (int)sizeof(int)); }

static void put_into_pages(const struct memory* to, MPI_Win w, int k, int which) {
  for (int p = 0; p < pages; ++p) {
    out[which][p] = val(me, p, k, which);
    OK(MPI_Put(&out[which][p], 1, MPI_INT, right, (MPI_Aint)((const char*)&to->numbers[p][place_of(k)] - (const char*)to), 1,
               MPI_INT, w));
  }
}

/// Of the last steps, whose places differ.
static void check_pages(const struct memory* m, int k, int which) {
  for (int j = k; j >= 0 && j > k - 8; --j)
    for (int p = 0; p < pages; ++p) {
      const int found = m->numbers[p][place_of(j)];
      CHECK(found == val(left, p, j, which), "memory %d, page %d: %d, step %d of %d", which, p, found, j, k);
    }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  find_neighbours();
  MPI_Aint size;
  int unit;
  over_own = create_window(&own, sizeof own, 1);
  theirs = allocate_window(sizeof *theirs, 1, &over_theirs);
  OK(MPI_Win_allocate_shared(sizeof *shared, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &over_shared));
  OK(MPI_Win_shared_query(over_shared, right, &size, &unit, &of_right));
  OK(MPI_Win_lock_all(0, over_own));
  OK(MPI_Win_lock_all(0, over_theirs));
  OK(MPI_Win_lock_all(0, over_shared));
  for (int k = 0; k < steps; ++k) {
    put_into_pages(&own, over_own, k, 0);
    put_into_pages(theirs, over_theirs, k, 1);
    for (int p = 0; p < pages; ++p) of_right->numbers[p][place_of(k)] = val(me, p, k, 2);
    OK(MPI_Win_sync(over_shared));
    OK(MPI_Win_flush_all(over_own));
    OK(MPI_Win_flush_all(over_theirs));
    OK(MPI_Barrier(MPI_COMM_WORLD));
    step(k);
    if (k % 5 != 4 && k + 1 < steps) continue;         // this rank's memory is read in every fifth step only
    OK(MPI_Win_sync(over_own));
    OK(MPI_Win_sync(over_theirs));
    OK(MPI_Win_sync(over_shared));
    check_pages(&own, k, 0);
    check_pages(theirs, k, 1);
    check_pages(shared, k, 2);
    got(own.numbers, sizeof own.numbers);
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  OK(MPI_Win_unlock_all(over_own));
  OK(MPI_Win_unlock_all(over_theirs));
  OK(MPI_Win_unlock_all(over_shared));
  OK(MPI_Win_free(&over_own));
  OK(MPI_Win_free(&over_theirs));
  OK(MPI_Win_free(&over_shared));
  return finish();
}
