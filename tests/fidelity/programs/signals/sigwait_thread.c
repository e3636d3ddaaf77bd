// The usual way of servers: all signals blocked before MPI_Init, and one thread takes them with sigwait. Ten come at each line.
#include "fidelity.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

static volatile int taken;
static void* take(void* set) {
  for (int signal; taken < 30; ++taken) sigwait(set, &signal);
  return NULL;
}

int main(int argc, char** argv) {
  static sigset_t set;
  const struct timespec moment = {0, 10000000};
  pthread_t thread;
  sigemptyset(&set), sigaddset(&set, SIGUSR2), sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  begin(&argc, &argv);
  pthread_create(&thread, NULL, take, &set);
  for (int round = 0; round < 3; ++round) {
    for (int which = 1; which <= 10; ++which) {
      kill(getpid(), which % 2 ? SIGUSR2 : SIGTERM);
      for (int wait = 0; wait < 6000 && taken < 10 * round + which; ++wait) nanosleep(&moment, NULL);
    }
    CHECK(taken == 10 * round + 10, "%d", taken);
    if (taken != 10 * round + 10) return finish();
    if (round < 2) line();
  }
  pthread_join(thread, NULL);
  return finish();
}
