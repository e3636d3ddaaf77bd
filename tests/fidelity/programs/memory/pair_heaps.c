// Heaps that differ: rank 0 has many small blocks in several arenas, rank 1 few large ones and a heap that was trimmed.
// ranks: 2
#include "pair.h"

#include <malloc.h>
#include <pthread.h>

enum { blocks = 20000, threads = 4 };
static char* all[threads][blocks];

static void* allocates(void* index) {
  const long self = (long)index;
  for (int i = 0; i < blocks / 4; ++i) {
    const size_t size = 16 + (size_t)(i * 7 + self) % 200;
    all[self][i] = memset(malloc(size), (int)(i + self) & 127, size);
  }
  for (int i = 0; i < blocks / 4; i += 2) free(all[self][i]), all[self][i] = NULL;
  return NULL;
}
static void look(void) {
  int bad = 0;
  for (int t = 0; t < threads; ++t)
    for (int i = 1; i < blocks / 4; i += 2) bad += all[t][i][(i * 7 + t) % 200 + 15] != ((i + t) & 127);
  CHECK(bad == 0, "%d", bad);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char* large = NULL;
  pthread_t of[threads];
  if (me == 0) {
    for (long t = 0; t < threads; ++t) pthread_create(&of[t], NULL, allocates, (void*)t);
    for (long t = 0; t < threads; ++t) pthread_join(of[t], NULL);
  } else {
    large = memset(malloc(9000001), 7, 9000001);
    char* some[50];
    for (int i = 0; i < 50; ++i) some[i] = memset(malloc(100000), 3, 100000);
    for (int i = 0; i < 50; ++i) free(some[i]);
    malloc_trim(0);
  }
  for (int round = 0; round < 2; ++round) {
    line();
    if (me == 0) look();
    else CHECK(large[0] == 7 && large[9000000] == 7 && malloc_usable_size(large) >= 9000001);
    char* const more = memset(malloc(300000), 1, 300000);
    free(more);
  }
  for (int t = 0; me == 0 && t < threads; ++t) for (int i = 1; i < blocks / 4; i += 2) free(all[t][i]);
  free(large);
  return finish();
}
