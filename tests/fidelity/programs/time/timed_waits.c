// Waits with time limits by both clocks, that begin before a line and end after it: none early, all by their limit.
#include "fidelity.h"

#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { realtime, monotonic, in_mutex, in_semaphore, in_lock, in_join, kinds };
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static pthread_t main_thread;
static int ended;

static int wait_in(long kind, const struct timespec* end) {
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t condition;
  pthread_condattr_t attributes;
  pthread_condattr_init(&attributes);
  if (kind == monotonic) pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
  pthread_cond_init(&condition, &attributes);
  switch (kind) {
    case in_mutex: return pthread_mutex_timedlock(&held, end);
    case in_semaphore: return sem_timedwait(&semaphore, end) == -1 ? errno : 0;
    case in_lock: return pthread_rwlock_timedrdlock(&written, end);
    case in_join: return pthread_timedjoin_np(main_thread, NULL, end);
  }
  pthread_mutex_lock(&mutex);
  int found = 0;
  while (found == 0) found = pthread_cond_timedwait(&condition, &mutex, end);
  pthread_mutex_unlock(&mutex);
  return found;
}
static void* body(void* kind) {
  const clockid_t clock = (long)kind == monotonic ? CLOCK_MONOTONIC : CLOCK_REALTIME;
  struct timespec end, now;
  clock_gettime(clock, &end);
  end.tv_nsec += 150000000;
  if (end.tv_nsec >= 1000000000) end.tv_nsec -= 1000000000, ++end.tv_sec;
  const int found = wait_in((long)kind, &end);
  clock_gettime(clock, &now);
  CHECK(found == ETIMEDOUT, "kind %ld: %s", (long)kind, strerror(found));
  CHECK(now.tv_sec > end.tv_sec || (now.tv_sec == end.tv_sec && now.tv_nsec >= end.tv_nsec), "kind %ld is early",
        (long)kind);
  __atomic_fetch_add(&ended, 1, __ATOMIC_SEQ_CST);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t all[kinds];
  main_thread = pthread_self();
  sem_init(&semaphore, 0, 0), pthread_mutex_lock(&held), pthread_rwlock_wrlock(&written);
  for (int round = 0; round < 2; ++round) {
    for (long kind = 0; kind < kinds; ++kind) pthread_create(&all[kind], NULL, body, (void*)kind);
    usleep(20000);
    line();
    for (int kind = 0; kind < kinds; ++kind) pthread_join(all[kind], NULL);
    CHECK(ended == kinds * (round + 1), "%d", ended);
  }
  return finish();
}
