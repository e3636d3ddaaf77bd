// Signals between the ranks, by kill and with values by sigqueue. Each rank tells its number again after each line.
// ranks: 2
#include "pair.h"

#include <signal.h>
#include <time.h>

int main(int argc, char** argv) {
  sigset_t both;
  sigemptyset(&both), sigaddset(&both, SIGUSR1), sigaddset(&both, SIGRTMIN + 1);
  sigprocmask(SIG_BLOCK, &both, NULL);                // before MPI has threads, which would get them
  begin(&argc, &argv);
  const struct timespec long_time = {5, 0};
  for (int round = 0; round < 3; ++round) {
    const int pid = exchange(getpid());
    siginfo_t info;
    OK(kill(pid, 0));
    OK(kill(pid, SIGUSR1));
    CHECK(sigtimedwait(&both, &info, &long_time) == SIGUSR1 && info.si_code == SI_USER, "%s", strerror(errno));
    CHECK(info.si_pid == pid, "sent by %d, not %d", info.si_pid, pid);
    together();
    OK(sigqueue(pid, SIGRTMIN + 1, (union sigval){.sival_int = 10 * round + me}));
    CHECK(sigtimedwait(&both, &info, &long_time) == SIGRTMIN + 1 && info.si_code == SI_QUEUE, "%s", strerror(errno));
    CHECK(info.si_value.sival_int == 10 * round + other(), "%d", info.si_value.sival_int);
    together();
    if (round < 2) line();
  }
  return finish();
}
