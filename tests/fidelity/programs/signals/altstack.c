// An alternate signal stack: handlers run on it, and sigaltstack reports it, on the main thread and on another.
#include "fidelity.h"

#include <pthread.h>
#include <signal.h>

enum { size = 64 * 1024 };
static __thread char* stack;
static __thread volatile int inside, calls;
static pthread_barrier_t barrier;

static void handler(int signal) {
  char here;
  (void)signal;
  ++calls;
  inside += &here >= stack && &here < stack + size;
}

static void set(void) {
  stack = malloc(size);
  const stack_t alternate = {.ss_sp = stack, .ss_size = size};
  OK(sigaltstack(&alternate, NULL));
}

static void check(int rounds) {
  stack_t now;
  raise(SIGUSR1);
  CHECK(calls == rounds && inside == rounds, "%d calls, %d on the stack", calls, inside);
  OK(sigaltstack(NULL, &now));
  CHECK(now.ss_sp == stack && now.ss_size == size && now.ss_flags == 0, "flags %x", now.ss_flags);
}

static void* other(void* unused) {
  set();
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    check(round + 1);
  }
  return unused;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  pthread_t thread;
  sigaction(SIGUSR1, &action, NULL);
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_create(&thread, NULL, other, NULL);
  set();
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    line();
    pthread_barrier_wait(&barrier);
    check(round + 1);
  }
  pthread_join(thread, NULL);
  return finish();
}
