// Mutexes of every kind that the main thread owns at the lines: the kernel and the library know owners by thread id.
#include "fidelity.h"

#include <pthread.h>
#include <sys/mman.h>
#include <time.h>

enum { normal, error_checking, recursive, inheriting, robust, shared_robust, kinds };
static pthread_mutex_t* all;

static void make(int kind) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  if (kind == error_checking) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  if (kind == recursive) pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  if (kind == inheriting) {
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    CHECK(pthread_mutexattr_setprotocol(&attributes, PTHREAD_PRIO_INHERIT) == 0);
  }
  if (kind == robust || kind == shared_robust) {
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  }
  if (kind == shared_robust) pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  CHECK(pthread_mutex_init(&all[kind], &attributes) == 0);
}
static int lock_soon(pthread_mutex_t* mutex) {           // one who is wrongly not known as the owner does not wait for ever
  struct timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_sec += 30;
  return pthread_mutex_timedlock(mutex, &end);
}
static void* try_all(void* extra) {
  for (int kind = 0; kind < kinds; ++kind) {
    const int found = pthread_mutex_trylock(&all[kind]);
    CHECK(found == (extra != NULL ? 0 : EBUSY), "kind %d: %s", kind, strerror(found));
    if (found == 0) pthread_mutex_unlock(&all[kind]);
  }
  return NULL;
}
static void* block_in(void* mutex) {
  const int found = lock_soon(mutex);
  CHECK(found == 0, "%s", strerror(found));
  if (found == 0) CHECK(pthread_mutex_unlock(mutex) == 0);
  return NULL;
}
static void others(int are_free) {
  pthread_t thread;
  pthread_create(&thread, NULL, try_all, are_free ? all : NULL);
  pthread_join(thread, NULL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t waiting[kinds];
  all = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  for (int kind = 0; kind < kinds; ++kind) {
    make(kind);
    CHECK(pthread_mutex_lock(&all[kind]) == 0);
  }
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(lock_soon(&all[error_checking]) == EDEADLK);
    CHECK(lock_soon(&all[inheriting]) == EDEADLK);
    CHECK(lock_soon(&all[robust]) == EDEADLK);
    CHECK(lock_soon(&all[recursive]) == 0);
    others(0);
    if (round == 0)                                     // one thread blocks in each over the next line
      for (int kind = 0; kind < kinds; ++kind) pthread_create(&waiting[kind], NULL, block_in, &all[kind]);
    usleep(30000);
  }
  CHECK(pthread_mutex_unlock(&all[recursive]) == 0 && pthread_mutex_unlock(&all[recursive]) == 0);
  for (int kind = 0; kind < kinds; ++kind) {
    const int found = pthread_mutex_unlock(&all[kind]);
    CHECK(found == 0, "kind %d: %s", kind, strerror(found));
    CHECK(pthread_join(waiting[kind], NULL) == 0);
  }
  others(1);
  CHECK(pthread_mutex_unlock(&all[error_checking]) == EPERM);
  return finish();
}
