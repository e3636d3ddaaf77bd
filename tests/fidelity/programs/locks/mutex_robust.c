// Robust mutexes whose owner ends after a line, before it, and with a thread that waits at it.
#include "fidelity.h"

#include <pthread.h>

enum { count = 3 };
static pthread_mutex_t all[count];
static int owned, end;

static void* own(void* which) {
  CHECK(pthread_mutex_lock(&all[(long)which]) == 0);
  __atomic_fetch_add(&owned, 1, __ATOMIC_SEQ_CST);
  while (__atomic_load_n(&end, __ATOMIC_SEQ_CST) <= (long)which) usleep(1000);
  return NULL;
}
static void* inherit(void* which) {
  const int found = pthread_mutex_lock(&all[(long)which]);
  CHECK(found == EOWNERDEAD, "mutex %ld: %s", (long)which, strerror(found));
  CHECK(pthread_mutex_consistent(&all[(long)which]) == 0 && pthread_mutex_unlock(&all[(long)which]) == 0);
  return NULL;
}
static void die(pthread_t owner, long which) {
  __atomic_store_n(&end, (int)which + 1, __ATOMIC_SEQ_CST);
  CHECK(pthread_join(owner, NULL) == 0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t owner[count], waiting;
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes), pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  for (long i = 0; i < count; ++i) {
    pthread_mutex_init(&all[i], &attributes);
    pthread_create(&owner[i], NULL, own, (void*)i);
  }
  while (__atomic_load_n(&owned, __ATOMIC_SEQ_CST) < count) usleep(1000);
  die(owner[0], 0);
  pthread_create(&waiting, NULL, inherit, (void*)2);
  usleep(20000);
  line();
  inherit((void*)0);
  CHECK(pthread_mutex_trylock(&all[1]) == EBUSY);
  die(owner[1], 1);
  line();
  inherit((void*)1);
  die(owner[2], 2);
  CHECK(pthread_join(waiting, NULL) == 0);
  for (int i = 0; i < count; ++i) CHECK(pthread_mutex_lock(&all[i]) == 0 && pthread_mutex_unlock(&all[i]) == 0);
  return finish();
}
