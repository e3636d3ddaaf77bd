// MPI_THREAD_SERIALIZED: threads that pass the right to call MPI on in a circle of semaphores; the main thread is one
// of them.
// ranks: 2
#include "pair.h"

#include <pthread.h>
#include <semaphore.h>

enum { threads = 3, rounds = 6 };
static sem_t turn[threads + 1];

static void* body(void* index) {
  const long self = (long)index;
  for (int round = 0; round < rounds; ++round) {
    sem_wait(&turn[self]);
    CHECK(exchange(1000 * round + (int)self) == 1000 * round + (int)self);
    sem_post(&turn[(self + 1) % (threads + 1)]);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin_at(MPI_THREAD_SERIALIZED, &argc, &argv);
  pthread_t all[threads];
  for (int i = 0; i <= threads; ++i) sem_init(&turn[i], 0, i == threads);
  for (long i = 0; i < threads; ++i) pthread_create(&all[i], NULL, body, (void*)i);
  for (int round = 0; round < rounds; ++round) {
    sem_wait(&turn[threads]);
    if (round == 1 || round == 4) line();
    int sum = 0;
    MPI_Allreduce(&round, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == 2 * round, "%d", sum);
    sem_post(&turn[0]);
  }
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  return finish();
}
