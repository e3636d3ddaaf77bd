// The lines are met in a signal handler by rank 1, on an alternate stack, and by rank 0 as usual.
// ranks: 2
#include "pair.h"

#include <signal.h>

static char stack[1 << 18];
static volatile int calls, local_kept;
static void handler(int signal) {
  volatile int local = signal + 1000;
  line();
  char here;
  CHECK(&here > stack && &here < stack + sizeof stack);
  local_kept += local == signal + 1000;
  ++calls;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
  const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  OK(sigaltstack(&alternate, NULL)), OK(sigaction(SIGUSR1, &action, NULL));
  for (int round = 0; round < 2; ++round) {
    if (me == 1) raise(SIGUSR1);
    else line();
    CHECK(calls == (me == 1 ? round + 1 : 0) && local_kept == calls);
    CHECK(exchange(100 + me) == 100 + other());
    sigset_t mask;
    sigprocmask(SIG_BLOCK, NULL, &mask);
    CHECK(!sigismember(&mask, SIGUSR1));
  }
  return finish();
}
