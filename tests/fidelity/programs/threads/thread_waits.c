// Threads that block in a condition, a timed one, a mutex, a semaphore, a read-write lock and a pipe while lines are met.
#include "fidelity.h"

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>

enum { in_condition, in_timed, in_mutex, in_semaphore, in_write_lock, in_read, in_poll, kinds };
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t read_held = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;
static int go, bytes[2], events[2], entered, done[kinds];

static void wait_in(long kind) {
  struct timespec end;
  char byte = 0;
  switch (kind) {
    case in_condition:
      pthread_mutex_lock(&lock);
      while (!go) pthread_cond_wait(&condition, &lock);
      pthread_mutex_unlock(&lock);
      break;
    case in_timed:
      clock_gettime(CLOCK_REALTIME, &end);
      end.tv_sec += 1000;
      pthread_mutex_lock(&lock);
      while (!go) CHECK(pthread_cond_timedwait(&condition, &lock, &end) == 0);
      pthread_mutex_unlock(&lock);
      break;
    case in_mutex: CHECK(pthread_mutex_lock(&held) == 0); pthread_mutex_unlock(&held); break;
    case in_semaphore: CHECK(sem_wait(&semaphore) == 0, "%s", strerror(errno)); break;
    case in_write_lock: CHECK(pthread_rwlock_wrlock(&read_held) == 0); pthread_rwlock_unlock(&read_held); break;
    case in_read: CHECK(read(bytes[0], &byte, 1) == 1 && byte == 'r', "%d %s", byte, strerror(errno)); break;
    case in_poll: {
      struct pollfd of = {.fd = events[0], .events = POLLIN};
      CHECK(poll(&of, 1, -1) == 1 && of.revents == POLLIN, "%x %s", of.revents, strerror(errno));
    }
  }
}
static void* body(void* kind) {
  count_one(&entered);
  wait_in((long)kind);
  __atomic_store_n(&done[(long)kind], 1, __ATOMIC_SEQ_CST);
  return kind;
}
static int how_many_done(void) {
  int sum = 0;
  for (int i = 0; i < kinds; ++i) sum += __atomic_load_n(&done[i], __ATOMIC_SEQ_CST);
  return sum;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t all[kinds];
  OK(pipe(bytes)), OK(pipe(events)), OK(sem_init(&semaphore, 0, 0));
  pthread_mutex_lock(&held), pthread_rwlock_rdlock(&read_held);
  for (long i = 0; i < kinds; ++i) CHECK(pthread_create(&all[i], NULL, body, (void*)i) == 0);
  await_count(&entered, kinds);
  usleep(50000);
  line();
  usleep(20000);
  CHECK(how_many_done() == 0, "%d", how_many_done());
  line();
  usleep(20000);
  CHECK(how_many_done() == 0, "%d", how_many_done());
  pthread_mutex_lock(&lock), go = 1, pthread_cond_broadcast(&condition), pthread_mutex_unlock(&lock);
  CHECK(pthread_mutex_unlock(&held) == 0 && pthread_rwlock_unlock(&read_held) == 0);
  CHECK(sem_post(&semaphore) == 0);
  CHECK(write(bytes[1], "r", 1) == 1 && write(events[1], "p", 1) == 1);
  for (long i = 0; i < kinds; ++i) {
    void* result;
    CHECK(pthread_join(all[i], &result) == 0 && result == (void*)i);
  }
  CHECK(how_many_done() == kinds);
  return finish();
}
