// Robust mutexes whose owner ends after a line, before it, and with a thread that waits at it.
#include "fidelity.h"

#include <pthread.h>

enum { count = 3 };
static pthread_mutex_t all[count];
static int owned, end;

static void* own(void* which) {
  CHECK(pthread_mutex_lock(&all[(long)which]) == 0);
  count_one(&owned);
  await_count(&end, (int)(long)which + 1);
  return NULL;
}
static void* inherit(void* which) {
  const int found = pthread_mutex_lock(&all[(long)which]);
  CHECK(found == EOWNERDEAD, "mutex %ld: %s", (long)which, strerror(found));
  CHECK(pthread_mutex_consistent(&all[(long)which]) == 0 && pthread_mutex_unlock(&all[(long)which]) == 0);
  return NULL;
}
/// The first of those that are left.
static void die(pthread_t owner) {
  count_one(&end);
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
  await_count(&owned, count);
  die(owner[0]);
  pthread_create(&waiting, NULL, inherit, (void*)2);
  usleep(20000);
  line();
  inherit((void*)0);
  CHECK(pthread_mutex_trylock(&all[1]) == EBUSY);
  die(owner[1]);
  line();
  inherit((void*)1);
  die(owner[2]);
  CHECK(pthread_join(waiting, NULL) == 0);
  for (int i = 0; i < count; ++i) CHECK(pthread_mutex_lock(&all[i]) == 0 && pthread_mutex_unlock(&all[i]) == 0);
  return finish();
}
