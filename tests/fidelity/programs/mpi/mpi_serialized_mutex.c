// MPI_THREAD_SERIALIZED: threads that call MPI one at a time, under a mutex that stands for the right to call.
// ranks: 2
#include "pair.h"

#include <pthread.h>

enum { threads = 3, rounds = 40 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int done[threads];

static void* body(void* index) {
  const int self = (int)(long)index;
  for (int round = 0; round < rounds; ++round) {
    int out = 100 * self + round, got = -1, found = 0;
    MPI_Request request;
    pthread_mutex_lock(&mutex);
    MPI_Irecv(&got, 1, MPI_INT, other(), self, MPI_COMM_WORLD, &request);
    MPI_Send(&out, 1, MPI_INT, other(), self, MPI_COMM_WORLD);
    pthread_mutex_unlock(&mutex);
    while (!found) {
      pthread_mutex_lock(&mutex);
      MPI_Test(&request, &found, MPI_STATUS_IGNORE);
      pthread_mutex_unlock(&mutex);
      usleep(500);
    }
    CHECK(got == out, "%d, not %d", got, out);
    __atomic_store_n(&done[self], round + 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}
static void line_alone(void) {
  pthread_mutex_lock(&mutex);
  line();
  pthread_mutex_unlock(&mutex);
}

int main(int argc, char** argv) {
  begin_at(MPI_THREAD_SERIALIZED, &argc, &argv);
  pthread_t all[threads];
  for (long i = 0; i < threads; ++i) pthread_create(&all[i], NULL, body, (void*)i);
  usleep(5000), line_alone();
  usleep(5000), line_alone();
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL), CHECK(done[i] == rounds);
  return finish();
}
