// A message that one thread has matched (MPI_Mprobe) before the line, and another receives after it.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static MPI_Message message;
static MPI_Status status;

static void* matches(void* extra) {
  MPI_Mprobe(MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, &message, &status);
  return extra;
}
static void* receives(void* round) {
  int values[4] = {0}, count = 0;
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 4 && status.MPI_SOURCE == other(), "%d", count);
  MPI_Mrecv(values, count, MPI_INT, &message, MPI_STATUS_IGNORE);
  CHECK(values[3] == 33 + (int)(long)round && message == MPI_MESSAGE_NULL, "%d", values[3]);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (long round = 0; round < 2; ++round) {
    pthread_t thread;
    const int values[4] = {0, 1, 2, 33 + (int)round}, later[4] = {9, 9, 9, 9};
    int found[4];
    pthread_create(&thread, NULL, matches, NULL);
    MPI_Send(values, 4, MPI_INT, other(), 3, MPI_COMM_WORLD);
    pthread_join(thread, NULL);
    MPI_Send(later, 4, MPI_INT, other(), 3, MPI_COMM_WORLD);          // must not be taken in its place
    line();
    pthread_create(&thread, NULL, receives, (void*)round);
    pthread_join(thread, NULL);
    MPI_Recv(found, 4, MPI_INT, other(), 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(found[0] == 9);
  }
  return finish();
}
