// A thread that is blocked in MPI_Recv, and one in MPI_Probe, while the main thread comes to the lines; the messages are sent after.
// ranks: 2
#include "fidelity.h"

#include <pthread.h>

static MPI_Comm own;
static int received, probed;

static void* receiver(void* extra) {
  (void)extra;
  int value = 0;
  MPI_Status status;
  MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 5, own, &status);
  CHECK(value == 77 && status.MPI_SOURCE == (me + ranks - 1) % ranks, "%d", value);
  __atomic_store_n(&received, 1, __ATOMIC_SEQ_CST);
  return NULL;
}
static void* prober(void* extra) {
  (void)extra;
  int count = 0, values[3] = {0};
  MPI_Status status;
  MPI_Probe(MPI_ANY_SOURCE, 6, own, &status);
  MPI_Get_count(&status, MPI_INT, &count);
  CHECK(count == 3, "%d", count);
  MPI_Recv(values, 3, MPI_INT, status.MPI_SOURCE, 6, own, MPI_STATUS_IGNORE);
  CHECK(values[2] == 12);
  __atomic_store_n(&probed, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t first, second;
  const int next = (me + 1) % ranks, value = 77, values[3] = {10, 11, 12};
  MPI_Comm_dup(MPI_COMM_WORLD, &own);
  pthread_create(&first, NULL, receiver, NULL), pthread_create(&second, NULL, prober, NULL);
  usleep(30000);
  line();
  CHECK(!__atomic_load_n(&received, __ATOMIC_SEQ_CST) && !__atomic_load_n(&probed, __ATOMIC_SEQ_CST));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(&value, 1, MPI_INT, next, 5, own);
  pthread_join(first, NULL);
  line();
  CHECK(received && !__atomic_load_n(&probed, __ATOMIC_SEQ_CST));
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Send(values, 3, MPI_INT, next, 6, own);
  pthread_join(second, NULL);
  MPI_Comm_free(&own);
  return finish();
}
