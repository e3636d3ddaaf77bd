// Threads that compute between barriers, and that wait in one for the main thread, while lines are met.
#include "fidelity.h"

#include <pthread.h>

enum { threads = 4, rounds = 3 };
static pthread_barrier_t among, with_main;
static volatile long sums[threads];

static void* body(void* extra) {
  const long self = (long)extra;
  for (int round = 0; round < rounds; ++round) {
    for (long i = 0; i < 100000 + 2000000 * (self == 0); ++i) sums[self] += i % 7;
    pthread_barrier_wait(&among);
    pthread_barrier_wait(&with_main);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t all[threads];
  pthread_barrier_init(&among, NULL, threads), pthread_barrier_init(&with_main, NULL, threads + 1);
  for (long i = 0; i < threads; ++i) pthread_create(&all[i], NULL, body, (void*)i);
  line();
  pthread_barrier_wait(&with_main);
  line();
  pthread_barrier_wait(&with_main), pthread_barrier_wait(&with_main);
  for (int i = 0; i < threads; ++i) CHECK(pthread_join(all[i], NULL) == 0);
  long one = 0, much = 0;
  for (long i = 0; i < 100000; ++i) one += i % 7;
  for (long i = 0; i < 2100000; ++i) much += i % 7;
  CHECK(sums[0] == rounds * much, "%ld", sums[0]);
  for (int i = 1; i < threads; ++i) CHECK(sums[i] == rounds * one, "%ld", sums[i]);
  CHECK(pthread_barrier_destroy(&among) == 0 && pthread_barrier_destroy(&with_main) == 0);
  return finish();
}
