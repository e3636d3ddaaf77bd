// A thread in sigsuspend, and one in pause, while a line is met: only the program's own signal ends them.
#include "fidelity.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

static volatile int calls[2], returned[2];
static __thread int self;
static void handler(int signal) { (void)signal, ++calls[self]; }

static void* waits(void* index) {
  sigset_t mask;
  self = (int)(intptr_t)index;
  pthread_sigmask(SIG_BLOCK, NULL, &mask);
  sigdelset(&mask, SIGUSR1);
  for (int round = 0; round < 2; ++round) {
    if (self == 0) sigsuspend(&mask);
    else pause();
    ++returned[self];
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_handler = handler};
  const struct timespec moment = {0, 30000000};
  pthread_t threads[2];
  sigset_t mask;
  sigaction(SIGUSR1, &action, NULL);
  sigemptyset(&mask), sigaddset(&mask, SIGUSR1);
  pthread_create(threads + 1, NULL, waits, (void*)1);
  pthread_sigmask(SIG_BLOCK, &mask, NULL);
  pthread_create(threads, NULL, waits, (void*)0);
  for (int round = 0; round < 2; ++round) {
    nanosleep(&moment, NULL);
    line();
    nanosleep(&moment, NULL);
    for (int which = 0; which < 2; ++which) {
      CHECK(returned[which] == round && calls[which] == round, "%s: %d %d", which ? "pause" : "sigsuspend",
            returned[which], calls[which]);
      pthread_kill(threads[which], SIGUSR1);
    }
    nanosleep(&moment, NULL);
  }
  for (int which = 0; which < 2; ++which) {
    pthread_join(threads[which], NULL);
    CHECK(calls[which] == 2 && returned[which] == 2);
  }
  return finish();
}
