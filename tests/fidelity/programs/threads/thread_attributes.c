// Attributes that the kernel keeps of each thread: name, affinity, signal mask, alternate stack, timer slack, nice
// value.
#include "fidelity.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

enum { threads = 3 };
static pthread_barrier_t meeting;
static char stacks[threads][65536];
static volatile int on_stack[threads];
static __thread int self;

static void handler(int number) {
  (void)number;
  const char here = 0;
  on_stack[self] += &here >= stacks[self] && &here < stacks[self] + sizeof stacks[self] ? 1 : 1000;
}
static void* body(void* extra) {
  self = (int)(long)extra;
  char name[16], found[16];
  cpu_set_t set, now;
  sigset_t mask, masked;
  snprintf(name, sizeof name, "worker %d", self);
  pthread_setname_np(pthread_self(), name);
  sched_getaffinity(0, sizeof set, &set);
  int first = 0;
  while (!CPU_ISSET(first, &set)) ++first;
  if (self == 1) {
    CPU_ZERO(&set);
    CPU_SET(first, &set);
    OK(sched_setaffinity(0, sizeof set, &set));
  }
  sigemptyset(&mask), sigaddset(&mask, SIGUSR1), sigaddset(&mask, SIGRTMIN + 5 + self);
  pthread_sigmask(SIG_SETMASK, &mask, NULL);
  const stack_t stack = {.ss_sp = stacks[self], .ss_size = sizeof stacks[self]};
  OK(sigaltstack(&stack, NULL));
  OK(prctl(PR_SET_TIMERSLACK, 100000 + self));
  OK(setpriority(PRIO_PROCESS, 0, 3 + self));
  for (int round = 0; round < 3; ++round) {
    pthread_barrier_wait(&meeting), pthread_barrier_wait(&meeting);
    CHECK(pthread_getname_np(pthread_self(), found, sizeof found) == 0 && strcmp(found, name) == 0, "%s", found);
    sched_getaffinity(0, sizeof now, &now);
    CHECK(CPU_EQUAL(&now, &set), "thread %d has %d processors", self, CPU_COUNT(&now));
    pthread_sigmask(SIG_SETMASK, NULL, &masked);
    for (int i = 1; i < SIGRTMIN + 10; ++i)
      if (i < 32 || i >= SIGRTMIN) CHECK(sigismember(&masked, i) == sigismember(&mask, i), "thread %d, signal %d", self, i);
    stack_t now_stack;
    OK(sigaltstack(NULL, &now_stack));
    CHECK(now_stack.ss_sp == stacks[self] && now_stack.ss_size == sizeof stacks[self], "thread %d", self);
    raise(SIGUSR2);
    CHECK(on_stack[self] == round + 1, "%d", on_stack[self]);
    CHECK(prctl(PR_GET_TIMERSLACK) == 100000 + self, "%d", prctl(PR_GET_TIMERSLACK));
    CHECK(getpriority(PRIO_PROCESS, 0) == 3 + self, "%d", getpriority(PRIO_PROCESS, 0));
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t all[threads];
  char name[16];
  const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  OK(sigaction(SIGUSR2, &action, NULL));
  pthread_barrier_init(&meeting, NULL, threads + 1);
  prctl(PR_SET_NAME, "the main one");
  for (long i = 0; i < threads; ++i) pthread_create(&all[i], NULL, body, (void*)i);
  for (int round = 0; round < 3; ++round) {
    pthread_barrier_wait(&meeting);
    if (round > 0) line();
    prctl(PR_GET_NAME, name);
    CHECK(strcmp(name, "the main one") == 0, "%s", name);
    for (int i = 0; i < threads; ++i) {
      char expected[16], of[16];
      snprintf(expected, sizeof expected, "worker %d", i);
      CHECK(pthread_getname_np(all[i], of, sizeof of) == 0 && strcmp(expected, of) == 0, "%s", of);
    }
    pthread_barrier_wait(&meeting);
  }
  for (int i = 0; i < threads; ++i) pthread_join(all[i], NULL);
  return finish();
}
