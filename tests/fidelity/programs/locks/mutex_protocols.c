// Mutexes whose protocol is inheritance (futexes that know their owner), recursive and error-checking, held with a
// waiter.
#include "fidelity.h"

#include <pthread.h>

enum { count = 3 };
static pthread_mutex_t all[count];
static int got;

static void* waits(void* which) {
  CHECK(pthread_mutex_lock(&all[(long)which]) == 0);
  __atomic_fetch_add(&got, 1, __ATOMIC_SEQ_CST);
  CHECK(pthread_mutex_unlock(&all[(long)which]) == 0);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t waiting[count];
  const int kinds[count] = {PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_ERRORCHECK};
  for (int round = 0; round < 2; ++round) {
    got = 0;
    for (long i = 0; i < count; ++i) {
      pthread_mutexattr_t attributes;
      pthread_mutexattr_init(&attributes), pthread_mutexattr_settype(&attributes, kinds[i]);
      CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
      pthread_mutex_init(&all[i], &attributes);
      CHECK(pthread_mutex_lock(&all[i]) == 0);
      if (round == 0) pthread_create(&waiting[i], NULL, waits, (void*)i);
    }
    usleep(20000);
    line();
    CHECK(__atomic_load_n(&got, __ATOMIC_SEQ_CST) == 0, "%d", got);
    CHECK(pthread_mutex_trylock(&all[1]) == 0 && pthread_mutex_unlock(&all[1]) == 0);
    const int found = pthread_mutex_trylock(&all[2]);
    CHECK(found == EBUSY || found == EDEADLK, "%s", strerror(found));
    for (long i = 0; i < count; ++i) CHECK(pthread_mutex_unlock(&all[i]) == 0);
    if (round == 0) CHECK(comes_to(&got, count), "%d", got);
    for (int i = 0; round == 0 && i < count; ++i) pthread_join(waiting[i], NULL);
  }
  return finish();
}
