// Arenas of malloc in threads, two at most (M_ARENA_MAX): one thread frees blocks that another allocated, over the
// lines.
#include "fidelity.h"

#include <malloc.h>
#include <pthread.h>

enum { threads = 4, blocks = 2000 };
static unsigned char* all[threads][blocks];
static pthread_barrier_t barrier;
static size_t size_of(long self, int i, int round) { return 24 + (size_t)(self * 131 + i * 17 + round * 7) % 3000; }

static void* body(void* index) {
  const long self = (long)index, from = (self + 1) % threads;
  for (int i = 0; i < blocks; ++i) all[self][i] = memset(malloc(size_of(self, i, 0)), (int)(self + i) & 255,
                                                         size_of(self, i, 0));
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier), pthread_barrier_wait(&barrier);
    int bad = 0;
    for (int i = 0; i < blocks; ++i) {
      const size_t size = size_of(from, i, round);
      bad += all[from][i][0] != ((from + i) & 255) || all[from][i][size - 1] != ((from + i) & 255);
      all[from][i] = realloc(all[from][i], size_of(from, i, round + 1));
      memset(all[from][i], (int)(from + i) & 255, size_of(from, i, round + 1));
    }
    CHECK(bad == 0, "%d", bad);
  }
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < blocks; ++i) free(all[from][i]);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t of[threads];
  CHECK(mallopt(M_ARENA_MAX, 2) == 1);
  pthread_barrier_init(&barrier, NULL, threads + 1);
  for (long i = 0; i < threads; ++i) pthread_create(&of[i], NULL, body, (void*)i);
  for (int round = 0; round < 2; ++round) pthread_barrier_wait(&barrier), line(), pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < threads; ++i) pthread_join(of[i], NULL);
  const struct mallinfo2 found = mallinfo2();
  CHECK(found.uordblks < (size_t)64 << 20, "%zu", found.uordblks);
  return finish();
}
