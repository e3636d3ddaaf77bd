/* Threads: creation, ends of all kinds, storage, and what they wait for. */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static __thread int own = 41;
static __thread char own_zero[5000];
static pthread_key_t key;
static atomic_int destroyed;

static void on_key_end(void* value) { atomic_fetch_add(&destroyed, *(int*)value); free(value); }

static void* simple(void* argument) {
  int here = 0;
  check_place(&here);
  check_place(&own);
  CHECK(own == 41 && own_zero[4999] == 0);
  own += (int)(intptr_t)argument;
  own_zero[4999] = 1;
  int* const value = malloc(sizeof *value);
  check_place(value);
  *value = 1;
  CHECK(pthread_setspecific(key, value) == 0);
  CHECK(syscall(SYS_gettid) == gettid() && getpid() != gettid());
  return (void*)(intptr_t)own;
}

static void create_and_join(void) {
  pthread_t threads[40];
  for (int round = 0; round < 5; ++round) {
    for (intptr_t i = 0; i < 40; ++i) CHECK(pthread_create(&threads[i], NULL, simple, (void*)i) == 0);
    for (intptr_t i = 0; i < 40; ++i) {
      void* result = NULL;
      CHECK(pthread_join(threads[i], &result) == 0 && (intptr_t)result == 41 + i);
    }
  }
  CHECK(own == 41 && destroyed == 200);
}

static sem_t gone;
static void* detached(void* argument) { (void)argument; sem_post(&gone); return NULL; }

static void detach(void) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, 64 << 10);
  sem_init(&gone, 0, 0);
  for (int i = 0; i < 300; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, &attributes, detached, NULL) == 0);
    sem_wait(&gone);
  }
}

static void on_cancel(void* flag) { *(int*)flag = 1; }
static void* waits_for_ever(void* flag) {
  pthread_cleanup_push(on_cancel, flag);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return NULL;
}
static void* spins_for_ever(void* flag) {
  pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
  pthread_cleanup_push(on_cancel, flag);
  for (;;) sched_yield();
  pthread_cleanup_pop(0);
  return NULL;
}

static void cancel(void* (*body)(void*)) {
  int cleaned = 0;
  pthread_t thread;
  void* result = NULL;
  CHECK(pthread_create(&thread, NULL, body, &cleaned) == 0);
  CHECK(pthread_cancel(thread) == 0 && pthread_join(thread, &result) == 0);
  CHECK(result == PTHREAD_CANCELED);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static int turn, sum;

static void* takes_turns(void* argument) {
  const int me = (int)(intptr_t)argument;
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 200; ++i) {
    pthread_mutex_lock(&lock);
    while (turn % 4 != me) pthread_cond_wait(&changed, &lock);
    sum += me;
    ++turn;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&lock);
  }
  return NULL;
}

static void conditions(void) {
  pthread_t threads[4];
  pthread_barrier_init(&barrier, NULL, 4);
  for (intptr_t i = 0; i < 4; ++i) CHECK(pthread_create(&threads[i], NULL, takes_turns, (void*)i) == 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  CHECK(turn == 800 && sum == 200 * 6);
}

static pthread_mutex_t robust;
static void* dies_with_lock(void* argument) { (void)argument; pthread_mutex_lock(&robust); return NULL; }

static void robust_mutex(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&robust, &attributes);
  pthread_t thread;
  pthread_create(&thread, NULL, dies_with_lock, NULL);
  pthread_join(thread, NULL);
  CHECK(pthread_mutex_lock(&robust) == EOWNERDEAD);
  CHECK(pthread_mutex_consistent(&robust) == 0 && pthread_mutex_unlock(&robust) == 0);
  CHECK(pthread_mutex_lock(&robust) == 0 && pthread_mutex_unlock(&robust) == 0);
}

static atomic_int hit;
static void on_usr1(int signal) { (void)signal; CHECK(own == 77); atomic_store(&hit, gettid()); }
static void* is_signalled(void* tid) {
  own = 77;
  atomic_store((atomic_int*)tid, gettid());
  while (atomic_load(&hit) == 0) sched_yield();
  return NULL;
}

static void signalled(void) {
  signal(SIGUSR1, on_usr1);
  atomic_int tid = 0;
  pthread_t thread;
  pthread_create(&thread, NULL, is_signalled, &tid);
  while (atomic_load(&tid) == 0) sched_yield();
  CHECK(pthread_kill(thread, SIGUSR1) == 0);
  pthread_join(thread, NULL);
  CHECK(hit == tid);
}

static void attributes_of_main(void) {
  pthread_attr_t attributes;
  void* stack = NULL;
  size_t bytes = 0;
  int here = 0;
  CHECK(pthread_getattr_np(pthread_self(), &attributes) == 0 && pthread_attr_getstack(&attributes, &stack, &bytes) == 0);
  CHECK((char*)&here > (char*)stack && (char*)&here < (char*)stack + bytes);
  pthread_attr_destroy(&attributes);
}

int main(void) {
  CHECK(getpid() == gettid());
  pthread_key_create(&key, on_key_end);
  create_and_join();
  detach();
  for (int i = 0; i < 20; ++i) {
    cancel(waits_for_ever);
    cancel(spins_for_ever);
  }
  conditions();
  robust_mutex();
  signalled();
  attributes_of_main();
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  soon.tv_nsec += soon.tv_nsec < 900000000 ? 50000000 : 0;
  pthread_mutex_lock(&lock);
  CHECK(pthread_cond_timedwait(&changed, &lock, &soon) == ETIMEDOUT);
  puts("threads come and go");
}
