// Threads that end by pthread_exit from below cleanup handlers, and keys whose destructors set their values again.
#include "fidelity.h"

#include <pthread.h>

static pthread_key_t keys[2];
static int cleaned[3], destroyed, in_place, end;

static void clean(void* which) { ++cleaned[(long)which]; }
static void destroy(void* value) {
  __atomic_fetch_add(&destroyed, 1, __ATOMIC_SEQ_CST);
  if ((long)value > 1) pthread_setspecific(keys[1], (void*)((long)value - 1));
}
static void deep(int depth);
static void (*volatile one_deeper)(int) = deep;
static void deep(int depth) {
  if (depth > 0) one_deeper(depth - 1);
  __atomic_fetch_add(&in_place, 1, __ATOMIC_SEQ_CST);
  await_count(&end, 1);
  pthread_exit((void*)0x77);
}
static void* body(void* extra) {
  pthread_setspecific(keys[0], (void*)1), pthread_setspecific(keys[1], (void*)3);
  pthread_cleanup_push(clean, (void*)0);
  pthread_cleanup_push(clean, (void*)1);
  deep(50);
  pthread_cleanup_pop(0);
  pthread_cleanup_pop(0);
  return extra;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int i = 0; i < 2; ++i) CHECK(pthread_key_create(&keys[i], destroy) == 0);
  for (int round = 0; round < 2; ++round) {
    pthread_t threads[2];
    end = in_place = destroyed = cleaned[0] = cleaned[1] = 0;
    for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, body, NULL);
    CHECK(comes_to(&in_place, 2));
    line();
    CHECK(cleaned[0] == 0 && destroyed == 0);
    count_one(&end);
    for (int i = 0; i < 2; ++i) {
      void* result = NULL;
      CHECK(pthread_join(threads[i], &result) == 0 && result == (void*)0x77);
    }
    CHECK(cleaned[0] == 2 && cleaned[1] == 2 && destroyed == 8, "%d %d %d", cleaned[0], cleaned[1], destroyed);
  }
  return finish();
}
