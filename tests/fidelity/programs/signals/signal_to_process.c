// INV-29: signals to the process, that its main thread blocks and another of its threads does not: the handler runs once for each.
#include "fidelity.h"

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static volatile int calls;
static sem_t end;
static void handler(int signal) { (void)signal, __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST); }
static void* takes(void* unused) {
  while (sem_wait(&end) != 0) {}
  return unused;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_handler = handler};
  const struct timespec moment = {0, 10000000};
  pthread_t thread;
  sigset_t blocked;
  sigaction(SIGUSR1, &action, NULL);
  sem_init(&end, 0, 0);
  pthread_create(&thread, NULL, takes, NULL);
  sigemptyset(&blocked), sigaddset(&blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);
  for (int round = 0; round < 3; ++round) {
    calls = 0;
    for (int which = 1; which <= 5; ++which) {
      kill(getpid(), SIGUSR1);
      for (int wait = 0; wait < 6000 && calls < which; ++wait) nanosleep(&moment, NULL);
    }
    CHECK(calls == 5, "%d", calls);
    if (round < 2) line();
  }
  sem_post(&end);
  pthread_join(thread, NULL);
  return finish();
}
