// An alternate stack that a handler finds disarmed (SS_AUTODISARM), and one that was disabled.
#include "fidelity.h"

#include <signal.h>
#ifndef SS_AUTODISARM
#define SS_AUTODISARM (1U << 31)
#endif

static volatile int disarmed, calls;

static void handler(int signal) {
  stack_t now;
  (void)signal;
  ++calls;
  disarmed += sigaltstack(NULL, &now) == 0 && now.ss_flags & SS_DISABLE;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char* const stack = malloc(65536);
  stack_t alternate = {.ss_sp = stack, .ss_size = 65536, .ss_flags = (int)SS_AUTODISARM}, now;
  const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
  sigaction(SIGUSR1, &action, NULL);
  OK(sigaltstack(&alternate, NULL));
  raise(SIGUSR1);
  CHECK(calls == 1 && disarmed == 1);
  line();
  OK(sigaltstack(NULL, &now));
  CHECK(now.ss_sp == stack && now.ss_flags == (int)SS_AUTODISARM, "flags %x", now.ss_flags);
  raise(SIGUSR1);
  CHECK(calls == 2 && disarmed == 2, "%d %d", calls, disarmed);
  alternate.ss_flags = SS_DISABLE;
  OK(sigaltstack(&alternate, NULL));
  line();
  OK(sigaltstack(NULL, &now));
  CHECK(now.ss_flags == SS_DISABLE, "flags %x", now.ss_flags);
  raise(SIGUSR1);
  CHECK(calls == 3 && disarmed == 3);
  return finish();
}
