// Requests that the main thread started before a line, and another thread completes after it.
// ranks: 2
#include "pair.h"

#include <pthread.h>

enum { count = 6, length = 3000 };
static MPI_Request requests[2 * count];
static int received[count][length], sent[count][length];
static MPI_Status statuses[2 * count];

static void* completes(void* round) {
  MPI_Waitall(2 * count, requests, statuses);
  for (int i = 0; i < count; ++i)
    CHECK(received[i][0] == 100 * (int)(long)round + i && received[i][length - 1] == received[i][0], "%d %d",
          received[i][0], received[i][length - 1]);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (long round = 0; round < 2; ++round) {
    pthread_t thread;
    for (int i = 0; i < count; ++i) {
      for (int k = 0; k < length; ++k) sent[i][k] = 100 * (int)round + i;
      MPI_Irecv(received[i], length, MPI_INT, other(), i, MPI_COMM_WORLD, &requests[i]);
      if (i % 2) MPI_Isend(sent[i], length, MPI_INT, other(), i, MPI_COMM_WORLD, &requests[count + i]);
      else MPI_Issend(sent[i], length, MPI_INT, other(), i, MPI_COMM_WORLD, &requests[count + i]);
    }
    line();
    pthread_create(&thread, NULL, completes, (void*)round);
    pthread_join(thread, NULL);
  }
  return finish();
}
