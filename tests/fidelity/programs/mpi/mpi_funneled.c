// MPI_THREAD_FUNNELED: threads compute what the main thread alone sends and reduces, before and after the lines.
// ranks: 2
#include "pair.h"

#include <pthread.h>

enum { threads = 3 };
static long parts[threads];
static pthread_barrier_t barrier;

static void* body(void* index) {
  const long self = (long)index;
  for (int round = 0; round < 3; ++round) {
    parts[self] = 0;
    for (long i = 0; i < 100000; ++i) parts[self] += i % (self + 2 + me);
    pthread_barrier_wait(&barrier), pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin_at(MPI_THREAD_FUNNELED, &argc, &argv);
  pthread_t all[threads];
  int is_main = 0;
  long first = -1;
  pthread_barrier_init(&barrier, NULL, threads + 1);
  for (long i = 0; i < threads; ++i) pthread_create(&all[i], NULL, body, (void*)i);
  for (int round = 0; round < 3; ++round) {
    if (round < 2) line();
    pthread_barrier_wait(&barrier);
    long sum = 0, of_all = 0;
    for (int i = 0; i < threads; ++i) sum += parts[i];
    MPI_Allreduce(&sum, &of_all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (first < 0) first = of_all;
    CHECK(of_all == first && first > 0, "%ld, not %ld", of_all, first);
    MPI_Is_thread_main(&is_main);
    CHECK(is_main);
    pthread_barrier_wait(&barrier);
  }
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  return finish();
}
