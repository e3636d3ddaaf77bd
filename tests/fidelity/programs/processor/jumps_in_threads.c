// Jumps of sigsetjmp and contexts of makecontext in two threads, whose places were taken before the lines.
#include "fidelity.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <ucontext.h>

static pthread_barrier_t barrier;
static __thread ucontext_t outside, inside;
static __thread int steps;

static void coroutine(void) {
  for (;;) ++steps, swapcontext(&inside, &outside);
}
static void* body(void* index) {
  char* const stack = malloc(1 << 16);
  sigjmp_buf back;
  sigset_t mask;
  volatile int rounds = 0;
  const int own = (int)(long)index == 0 ? SIGUSR1 : SIGUSR2;
  sigemptyset(&mask), sigaddset(&mask, own), pthread_sigmask(SIG_BLOCK, &mask, NULL);
  getcontext(&inside);
  inside.uc_stack = (stack_t){.ss_sp = stack, .ss_size = 1 << 16};
  makecontext(&inside, coroutine, 0);
  swapcontext(&outside, &inside);
  const int jumped = sigsetjmp(back, 1);
  CHECK(jumped == rounds, "%d", jumped);
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  CHECK(sigismember(&mask, own) == 1);
  if (rounds < 2) {
    pthread_barrier_wait(&barrier), pthread_barrier_wait(&barrier);
    swapcontext(&outside, &inside);
    CHECK(steps == rounds + 2, "%d", steps);
    pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
    siglongjmp(back, ++rounds);
  }
  free(stack);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t threads[2];
  pthread_barrier_init(&barrier, NULL, 3);
  for (long i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, body, (void*)i);
  for (int round = 0; round < 2; ++round) pthread_barrier_wait(&barrier), line(), pthread_barrier_wait(&barrier);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  return finish();
}
