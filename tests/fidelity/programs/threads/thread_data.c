// Data of each thread: __thread variables with and without a first value, keys with destructors, large ones.
#include "fidelity.h"

#include <pthread.h>

static __thread int zero, valued = 40;
static __thread char large[20000] = "x";
static pthread_key_t key;
static pthread_barrier_t barrier;
static int destroyed;
static void destroy(void* value) { __atomic_add_fetch(&destroyed, (int)(intptr_t)value, __ATOMIC_SEQ_CST); }

static void set(int index) {
  CHECK(zero == 0 && valued == 40 && large[0] == 'x' && large[19999] == 0);
  zero = index, valued += index, large[19999] = (char)index;
  pthread_setspecific(key, (void*)(intptr_t)index);
}
static void check(int index) {
  CHECK(zero == index && valued == 40 + index && large[19999] == index && large[0] == 'x', "%d %d", zero, valued);
  CHECK((int)(intptr_t)pthread_getspecific(key) == index);
}
static void* other(void* index) {
  set((int)(intptr_t)index);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    check((int)(intptr_t)index);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t threads[3];
  pthread_key_create(&key, destroy);
  pthread_barrier_init(&barrier, NULL, 4);
  set(100);
  for (int which = 0; which < 3; ++which) pthread_create(threads + which, NULL, other, (void*)(intptr_t)(which + 1));
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    line();
    pthread_barrier_wait(&barrier);
    check(100);
  }
  for (int which = 0; which < 3; ++which) pthread_join(threads[which], NULL);
  CHECK(destroyed == 6, "%d", destroyed);
  return finish();
}
