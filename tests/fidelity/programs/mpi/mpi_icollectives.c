// Collectives that were started before a line (Ibarrier, Iallreduce, Ibcast), and for which another thread waits after
// it.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static MPI_Request requests[3];
static void* waits(void* extra) {
  MPI_Status statuses[3];
  MPI_Waitall(3, requests, statuses);
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int round = 0; round < 2; ++round) {
    int value = round + me, sum = 0, from_first = me == 0 ? 60 + round : 0;
    MPI_Ibarrier(MPI_COMM_WORLD, &requests[0]);
    MPI_Iallreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[1]);
    MPI_Ibcast(&from_first, 1, MPI_INT, 0, MPI_COMM_WORLD, &requests[2]);
    line();
    pthread_t thread;
    pthread_create(&thread, NULL, waits, NULL), pthread_join(thread, NULL);
    CHECK(sum == 2 * round + 1 && from_first == 60 + round, "%d %d", sum, from_first);
    for (int i = 0; i < 3; ++i) CHECK(requests[i] == MPI_REQUEST_NULL);
  }
  return finish();
}
