// A line that is met in a signal handler, on an alternate stack: the handler returns to where it came from, mask and all.
#include "fidelity.h"

#include <signal.h>

static volatile int calls;
static void handler(int signal, siginfo_t* info, void* context) {
  (void)context;
  line();
  ++calls;
  CHECK(signal == SIGUSR1 && info->si_signo == SIGUSR1 && info->si_code == SI_TKILL);
  sigset_t now;
  sigprocmask(SIG_SETMASK, NULL, &now);
  CHECK(sigismember(&now, SIGUSR1) && sigismember(&now, SIGHUP));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const stack_t alternate = {.ss_sp = malloc(1 << 18), .ss_size = 1 << 18};
  OK(sigaltstack(&alternate, NULL));
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK};
  action.sa_sigaction = handler;
  sigaddset(&action.sa_mask, SIGHUP);
  sigaction(SIGUSR1, &action, NULL);
  volatile double sum = 1.5;
  for (int round = 0; round < 2; ++round) {
    raise(SIGUSR1);
    sum *= 2;
    sigset_t now;
    sigprocmask(SIG_SETMASK, NULL, &now);
    CHECK(!sigismember(&now, SIGUSR1) && !sigismember(&now, SIGHUP));
  }
  CHECK(calls == 2 && sum == 6);
  return finish();
}
