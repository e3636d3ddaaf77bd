// Signals that are read from a descriptor, one of them pending while the job stands still.
#include "fidelity.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/signalfd.h>

int main(int argc, char** argv) {
  sigset_t mine;
  sigemptyset(&mine), sigaddset(&mine, SIGUSR1), sigaddset(&mine, SIGRTMIN + 4);
  OK(pthread_sigmask(SIG_BLOCK, &mine, NULL));     // before there are MPI's threads
  begin(&argc, &argv);
  const int fd = signalfd(-1, &mine, SFD_NONBLOCK | SFD_CLOEXEC);
  struct signalfd_siginfo got;
  for (int times = 0; times < 2; ++times) {
    OK(raise(SIGUSR1));
    OK(sigqueue(getpid(), SIGRTMIN + 4, (union sigval){.sival_int = 5 + times}));
    line();
    CHECK(read(fd, &got, sizeof got) == sizeof got && got.ssi_signo == SIGUSR1, "%s", strerror(errno));
    CHECK(read(fd, &got, sizeof got) == sizeof got && (int)got.ssi_signo == SIGRTMIN + 4 && got.ssi_int == 5 + times,
          "%s: %d %d", strerror(errno), got.ssi_signo, got.ssi_int);
    CHECK(read(fd, &got, sizeof got) == -1 && errno == EAGAIN);
    OK(raise(SIGUSR1));
    CHECK(read(fd, &got, sizeof got) == sizeof got && got.ssi_signo == SIGUSR1, "%s", strerror(errno));
    CHECK(fcntl(fd, F_GETFD) == FD_CLOEXEC);
  }
  return finish();
}
