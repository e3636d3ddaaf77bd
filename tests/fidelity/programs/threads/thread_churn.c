// Threads, joined and detached, begin and end at a high rate while the lines are met.
#include "fidelity.h"

#include <pthread.h>

enum { makers = 3 };
static int stop, begun, ended;
static __thread long own = 41;

static void* brief(void* extra) {
  if (++own != 42) abort();
  own += (long)extra;
  __atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
  return (void*)own;
}
static void* make(void* extra) {
  pthread_attr_t detached;
  pthread_attr_init(&detached), pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
  for (long i = 0; !__atomic_load_n(&stop, __ATOMIC_SEQ_CST); ++i) {
    pthread_t thread;
    void* result;
    if (extra == NULL) {
      if (begun - __atomic_load_n(&ended, __ATOMIC_SEQ_CST) > 50) { usleep(500); continue; }
      CHECK(pthread_create(&thread, &detached, brief, (void*)i) == 0);
    } else {
      CHECK(pthread_create(&thread, NULL, brief, (void*)i) == 0);
      CHECK(pthread_join(thread, &result) == 0 && result == (void*)(i + 42), "%ld", (long)result - i);
    }
    __atomic_fetch_add(&begun, 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}
static void go_on(void) {
  const int before = __atomic_load_n(&ended, __ATOMIC_SEQ_CST);
  for (int i = 0; i < 60000 && __atomic_load_n(&ended, __ATOMIC_SEQ_CST) < before + 100; ++i) usleep(1000);
  CHECK(__atomic_load_n(&ended, __ATOMIC_SEQ_CST) >= before + 100);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t all[makers];
  for (long i = 0; i < makers; ++i) pthread_create(&all[i], NULL, make, (void*)i);
  go_on(), line(), go_on(), line(), go_on();
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < makers; ++i) pthread_join(all[i], NULL);
  for (int i = 0; i < 60000 && __atomic_load_n(&ended, __ATOMIC_SEQ_CST) < begun; ++i) usleep(1000);
  CHECK(ended == begun, "%d of %d", ended, begun);
  return finish();
}
