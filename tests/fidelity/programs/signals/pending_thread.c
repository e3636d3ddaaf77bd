// Signals pending for one thread among several: that thread has them, the others have not.
#include "fidelity.h"

#include <pthread.h>
#include <signal.h>

static pthread_barrier_t barrier;

static void* other(void* index) {
  sigset_t pending;
  const int mine = (int)(intptr_t)index;
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    sigpending(&pending);
    for (int which = 0; which < 3; ++which)
      CHECK(sigismember(&pending, SIGRTMIN + which) == (which == mine), "thread %d, signal %d", mine, which);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t threads[3];
  sigset_t blocked;
  sigemptyset(&blocked);
  for (int which = 0; which < 3; ++which) sigaddset(&blocked, SIGRTMIN + which);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  pthread_barrier_init(&barrier, NULL, 4);
  for (int which = 0; which < 3; ++which) {
    pthread_create(threads + which, NULL, other, (void*)(intptr_t)which);
    pthread_kill(threads[which], SIGRTMIN + which);
  }
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&barrier);
    line();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
  }
  for (int which = 0; which < 3; ++which) pthread_join(threads[which], NULL);
  return finish();
}
