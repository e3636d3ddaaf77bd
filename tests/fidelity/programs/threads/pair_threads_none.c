// Rank 0 has forty threads, of which half compute, and rank 1 has none besides the main thread.
// ranks: 2
#include "pair.h"

#include <pthread.h>

enum { count = 40 };
static int stop;
static long turns[count];

static void* body(void* index) {
  const long self = (long)index;
  while (!__atomic_load_n(&stop, __ATOMIC_SEQ_CST)) {
    __atomic_fetch_add(&turns[self], 1, __ATOMIC_SEQ_CST);
    if (self % 2) usleep(5000);
    else for (volatile int i = 0; i < 20000; ++i) { }
  }
  return index;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t all[count];
  for (long i = 0; me == 0 && i < count; ++i) CHECK(pthread_create(&all[i], NULL, body, (void*)i) == 0);
  for (int round = 0; round < 2; ++round) {
    usleep(10000);
    line();
    for (int i = 0; me == 0 && i < count; ++i) {
      const long before = __atomic_load_n(&turns[i], __ATOMIC_SEQ_CST);
      for (int tries = 0; tries < 60000 && __atomic_load_n(&turns[i], __ATOMIC_SEQ_CST) == before; ++tries) usleep(1000);
      CHECK(__atomic_load_n(&turns[i], __ATOMIC_SEQ_CST) > before, "thread %d stands still", i);
    }
    CHECK(exchange(round) == round);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  for (long i = 0; me == 0 && i < count; ++i) {
    void* result;
    CHECK(pthread_join(all[i], &result) == 0 && result == (void*)i);
  }
  return finish();
}
