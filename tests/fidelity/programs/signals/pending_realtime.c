// Real-time signals queued with values before a line: all come after it, in order: the thread's own first, then lower numbers first.
#include "fidelity.h"

#include <pthread.h>
#include <signal.h>

int main(int argc, char** argv) {
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGRTMIN + 3), sigaddset(&blocked, SIGRTMIN + 5);
  pthread_sigmask(SIG_BLOCK, &blocked, NULL);       // in the threads that MPI makes too
  begin(&argc, &argv);
  for (int round = 0; round < 2; ++round) {
    for (int which = 0; which < 6; ++which) {
      const union sigval value = {.sival_int = 100 * round + which};
      OK(sigqueue(getpid(), which < 3 ? SIGRTMIN + 5 : SIGRTMIN + 3, value));
    }
    const union sigval own = {.sival_int = 100 * round + 50};
    CHECK(pthread_sigqueue(pthread_self(), SIGRTMIN + 5, own) == 0);
    line();
    const int order[] = {50, 3, 4, 5, 0, 1, 2}, count = 7;
    for (int which = 0; which < count; ++which) {
      siginfo_t info = {0};
      const struct timespec none = {0, 0};
      const int got = sigtimedwait(&blocked, &info, &none);
      CHECK(got == (order[which] < 50 && order[which] > 2 ? SIGRTMIN + 3 : SIGRTMIN + 5), "%d: %s", which, got < 0 ? strerror(errno) : "another");
      if (got < 0) break;
      CHECK(info.si_value.sival_int == 100 * round + order[which], "%d: %d", which, info.si_value.sival_int);
      CHECK(info.si_code == SI_QUEUE && info.si_pid == getpid(), "code %d", info.si_code);
    }
  }
  return finish();
}
