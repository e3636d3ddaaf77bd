// Threads in MPI_Wait and MPI_Waitall for receives while the main thread comes to the lines; what they wait for is sent
// after.
// ranks: 2
#include "pair.h"

#include <pthread.h>

static MPI_Comm own;
static int one_done, all_done;

static void* waits_one(void* extra) {
  int value = 0;
  MPI_Request request;
  MPI_Status status;
  MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 1, own, &request);
  MPI_Wait(&request, &status);
  CHECK(value == 11 && status.MPI_SOURCE == other() && status.MPI_TAG == 1 && request == MPI_REQUEST_NULL, "%d", value);
  __atomic_store_n(&one_done, 1, __ATOMIC_SEQ_CST);
  return extra;
}
static void* waits_all(void* extra) {
  int values[3] = {0};
  MPI_Request requests[3];
  MPI_Status statuses[3];
  for (int i = 0; i < 3; ++i) MPI_Irecv(&values[i], 1, MPI_INT, other(), 10 + i, own, &requests[i]);
  MPI_Waitall(3, requests, statuses);
  CHECK(values[0] == 20 && values[1] == 21 && values[2] == 22, "%d %d %d", values[0], values[1], values[2]);
  __atomic_store_n(&all_done, 1, __ATOMIC_SEQ_CST);
  return extra;
}
static void send(int value, int tag) { MPI_Send(&value, 1, MPI_INT, other(), tag, own); }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t one, all;
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  pthread_create(&one, NULL, waits_one, NULL), pthread_create(&all, NULL, waits_all, NULL);
  usleep(10000);
  send(21, 11);                                  // one of three, before the first line
  line();
  CHECK(!__atomic_load_n(&one_done, __ATOMIC_SEQ_CST) && !__atomic_load_n(&all_done, __ATOMIC_SEQ_CST));
  together();
  send(11, 1), send(20, 10);
  pthread_join(one, NULL);
  line();
  CHECK(one_done && !__atomic_load_n(&all_done, __ATOMIC_SEQ_CST));
  together();
  send(22, 12);
  pthread_join(all, NULL);
  MPI_Comm_free(&own);
  return finish();
}
