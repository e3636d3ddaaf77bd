// Descriptors of signals, made with -1 as 32 and as 64 bits, and one whose signals are changed later.
#include "fidelity.h"

#include <signal.h>
#include <sys/signalfd.h>

static sigset_t one(int number) {
  sigset_t s;
  sigemptyset(&s), sigaddset(&s, number);
  return s;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  sigset_t first = one(SIGUSR1), second = one(SIGUSR2), both = first;
  sigaddset(&both, SIGUSR2);
  OK(pthread_sigmask(SIG_BLOCK, &both, NULL));
  const int plain = signalfd(-1, &first, SFD_NONBLOCK), changed = signalfd(-1, &first, SFD_NONBLOCK);
  const int wide = (int)syscall(SYS_signalfd4, -1L, &first, 8L, (long)SFD_NONBLOCK);
  CHECK(signalfd(changed, &second, 0) == changed);
  const int all[] = {plain, wide, changed};
  for (int times = 0; times < 2; ++times) {
    line();
    for (int i = 0; i < 3; ++i) {
      struct signalfd_siginfo got;
      const int number = i == 2 ? SIGUSR2 : SIGUSR1;
      OK(raise(number));
      CHECK(read(all[i], &got, sizeof got) == sizeof got && (int)got.ssi_signo == number, "%d: %s", i, strerror(errno));
      sigset_t pending;                                      // none stays for the next
      if (sigpending(&pending) == 0 && sigismember(&pending, number)) CHECK(sigwaitinfo(&both, NULL) == number);
    }
  }
  return finish();
}
