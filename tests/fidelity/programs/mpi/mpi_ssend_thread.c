// A thread of rank 0 is in MPI_Ssend at the lines; rank 1 receives after each.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static int values[2] = {71, 72};

static void* sends(void* extra) {
  for (int round = 0; round < 2; ++round) MPI_Ssend(&values[round], 1, MPI_INT, 1, 4, MPI_COMM_WORLD);
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t thread;
  if (me == 0) pthread_create(&thread, NULL, sends, NULL);
  for (int round = 0; round < 2; ++round) {
    usleep(20000);
    line();
    int found = 0;
    MPI_Status status;
    if (me == 1) {
      MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
      CHECK(status.MPI_TAG == 4, "%d", status.MPI_TAG);
      MPI_Recv(&found, 1, MPI_INT, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(found == values[round], "%d", found);
    }
    together();
  }
  if (me == 0) pthread_join(thread, NULL);
  return finish();
}
