// The answers of sigaction for every signal: handlers with all flags and masks, ignored ones and defaults.
#include "fidelity.h"

#include <signal.h>

static void handler(int signal) { (void)signal; }
static void informed(int signal, siginfo_t* info, void* context) { (void)signal, (void)info, (void)context; }

enum { restorer = 0x04000000 };       // libc's own flag, that it does not hide
static int same(const struct sigaction* one, const struct sigaction* two) {
  for (int signal = 1; signal <= SIGRTMAX; ++signal)
    if (sigismember(&one->sa_mask, signal) != sigismember(&two->sa_mask, signal)) return 0;
  return one->sa_handler == two->sa_handler && ((one->sa_flags ^ two->sa_flags) & ~restorer) == 0;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int flags[] = {0, SA_NODEFER, SA_RESETHAND, SA_RESTART, SA_ONSTACK, SA_NOCLDSTOP, SA_NOCLDWAIT,
                       (int)(SA_NODEFER | SA_RESETHAND | SA_RESTART | SA_ONSTACK)};
  struct sigaction set[NSIG] = {0}, now;
  for (int signal = 1, row = 0; signal <= SIGRTMAX; ++signal) {
    if (signal == SIGKILL || signal == SIGSTOP || signal == 32 || signal == 33) continue;
    switch (signal % 4) {
      case 0: set[signal].sa_handler = SIG_IGN; break;
      case 1: set[signal].sa_handler = SIG_DFL; break;
      case 2: set[signal].sa_handler = handler, set[signal].sa_flags = flags[row++ % 8]; break;
      case 3: set[signal].sa_sigaction = informed, set[signal].sa_flags = SA_SIGINFO | flags[row++ % 8]; break;
    }
    if (signal % 4 != 1) sigaddset(&set[signal].sa_mask, signal % 30 + 1 == SIGKILL ? SIGUSR1 : signal % 17 + 20);
    sigdelset(&set[signal].sa_mask, SIGKILL), sigdelset(&set[signal].sa_mask, SIGSTOP);
    CHECK(sigaction(signal, &set[signal], NULL) == 0, "%d", signal);
    sigaction(signal, NULL, &set[signal]);       // as the kernel gives it back
  }
  for (int round = 0; round < 2; ++round) {
    line();
    for (int signal = 1; signal <= SIGRTMAX; ++signal) {
      if (signal == SIGKILL || signal == SIGSTOP || signal == 32 || signal == 33) continue;
      CHECK(sigaction(signal, NULL, &now) == 0 && same(&now, &set[signal]), "signal %d, flags %x, not %x", signal,
            (unsigned)now.sa_flags, (unsigned)set[signal].sa_flags);
    }
  }
  for (int signal = 1; signal <= SIGRTMAX; ++signal) {
    now.sa_handler = SIG_DFL, now.sa_flags = 0;
    if (signal != SIGKILL && signal != SIGSTOP && signal != 32 && signal != 33) sigaction(signal, &now, NULL);
  }
  return finish();
}
