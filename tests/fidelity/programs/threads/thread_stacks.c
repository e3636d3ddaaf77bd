// Threads on stacks of the program's own, with guards of several sizes: what pthread_getattr_np says, and their
// contents.
#include "fidelity.h"

#include <pthread.h>
#include <sys/mman.h>

enum { count = 4 };
static char in_bss[1 << 17] __attribute__((aligned(4096)));
static pthread_barrier_t barrier;
static void* expected_at[count];
static const size_t sizes[count] = {1 << 17, 1 << 18, 1 << 20, 300 << 10};

static void* body(void* index) {
  const long self = (long)index;
  char local[5000];
  memset(local, (int)self + 1, sizeof local);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier), pthread_barrier_wait(&barrier);
    void* at = NULL;
    size_t size = 0, guard = 0;
    pthread_attr_t found;
    CHECK(pthread_getattr_np(pthread_self(), &found) == 0);
    pthread_attr_getstack(&found, &at, &size), pthread_attr_getguardsize(&found, &guard);
    if (expected_at[self] != NULL) CHECK(at == expected_at[self] && size == sizes[self], "%zu", size);
    else CHECK(size == sizes[self] && guard == (self == 2 ? 65536 : 4096), "%zu %zu", size, guard);
    CHECK((char*)local > (char*)at && (char*)local < (char*)at + size);
    int bad = 0;
    for (size_t i = 0; i < sizeof local; ++i) bad += local[i] != self + 1;
    CHECK(bad == 0, "%d", bad);
    pthread_attr_destroy(&found);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t threads[count];
  pthread_barrier_init(&barrier, NULL, count + 1);
  expected_at[0] = in_bss;
  expected_at[1] = mmap(NULL, sizes[1], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  for (long i = 0; i < count; ++i) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (expected_at[i]) CHECK(pthread_attr_setstack(&attributes, expected_at[i], sizes[i]) == 0);
    else CHECK(pthread_attr_setstacksize(&attributes, sizes[i]) == 0);
    if (i == 2) pthread_attr_setguardsize(&attributes, 65536);
    CHECK(pthread_create(&threads[i], &attributes, body, (void*)i) == 0);
  }
  for (int round = 0; round < 2; ++round) pthread_barrier_wait(&barrier), line(), pthread_barrier_wait(&barrier);
  for (int i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  return finish();
}
