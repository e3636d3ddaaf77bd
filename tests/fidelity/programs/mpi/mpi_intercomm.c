// An intercommunicator between the two ranks, and one merged of it, with a message under way at the lines; made in a
// thread.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static MPI_Comm between, merged;
static void* makes(void* extra) {
  MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_WORLD, other(), 8, &between);
  MPI_Intercomm_merge(between, me == 0, &merged);                    // rank 1 is the first there
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t thread;
  pthread_create(&thread, NULL, makes, NULL), pthread_join(thread, NULL);
  for (int round = 0; round < 2; ++round) {
    int value = 10 * round + me, found = -1, rank = -1, sum = 0;
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, 0, round, between, &request);
    line();
    MPI_Recv(&found, 1, MPI_INT, 0, round, between, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(found == 10 * round + other(), "%d", found);
    MPI_Comm_rank(merged, &rank);
    CHECK(rank == other(), "%d", rank);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, merged);
    CHECK(sum == 20 * round + 1, "%d", sum);
  }
  MPI_Comm_free(&between), MPI_Comm_free(&merged);
  return finish();
}
