// Collectives that are not in the same order on all ranks, as non-blocking ones of different communicators need not be,
// over the same members: even ranks start with a duplicate's, odd ranks with the world's.
#include "check.h"

enum { kinds = 3 };
static MPI_Comm other;

static int sum_of(int k, int i) {
  int sum = 0;
  for (int r = 0; r < ranks; ++r) sum += val(r, 0, k, i) >> 8;
  return sum;
}

/// Between the two, longer than a checkpoint takes to ask: the counts of all starts are then equal on all ranks.
static void compute(int k) {
  static volatile double x;
  for (int i = 0; i < 100000 * (1 + (k + me) % 3); ++i) x = x * 0.5 + i;
}

static void exchange(int k) {
  int mine[kinds], sums[kinds] = {-1, -1, -1};
  MPI_Request requests[kinds] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  for (int i = 0; i < kinds; ++i) mine[i] = val(me, 0, k, i) >> 8;
  for (int half = 0; half < 2; ++half) {
    if ((me + half) % 2 == 0) {
      MPI_Iallreduce(&mine[0], &sums[0], 1, MPI_INT, MPI_SUM, other, &requests[0]);
      compute(k);
    } else if (k % 2 == 0) {
      MPI_Iallreduce(&mine[1], &sums[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
      compute(k + 1);
    } else {
      MPI_Allreduce(&mine[1], &sums[1], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    }
  }
  MPI_Waitall(kinds, requests, MPI_STATUSES_IGNORE);
  MPI_Allreduce(&mine[2], &sums[2], 1, MPI_INT, MPI_SUM, other);
  for (int i = 0; i < kinds; ++i) {
    CHECK(sums[i] == sum_of(k, i), "%d", i);
    got_int(sums[i]);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  for (int k = 0; k < steps; ++k) {
    exchange(k);
    // A program may make a communicator for a step: what is kept for it must not outlive the next checkpoint.
    MPI_Comm brief;
    MPI_Request request;
    int all = 0, own = 1;
    MPI_Comm_dup(other, &brief);
    MPI_Iallreduce(&own, &all, 1, MPI_INT, MPI_SUM, brief, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(all == ranks);
    MPI_Comm_free(&brief);
    step(k);
  }
  MPI_Comm_free(&other);
  return finish();
}
