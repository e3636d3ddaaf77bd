// A handler that is called once (SA_RESETHAND), before the first line: the default is back after it.
#include "fidelity.h"

#include <signal.h>

static volatile int calls;
static void handler(int signal) { (void)signal, ++calls; }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_handler = handler, .sa_flags = (int)SA_RESETHAND};
  struct sigaction now;
  sigaction(SIGUSR1, &action, NULL);
  raise(SIGUSR1);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(calls == 1);
    OK(sigaction(SIGUSR1, NULL, &now));
    CHECK(now.sa_handler == SIG_DFL);
  }
  return finish();
}
