// Process group and session: consistent answers, and a group of the process's own.
#include "fidelity.h"

#include <signal.h>

static volatile int calls;
static void handler(int signal) { (void)signal, ++calls; }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, NULL);
  const int leads = getsid(0) == getpid();       // mpirun's choice
  if (!leads) OK(setpgid(0, 0));
  CHECK(getpgrp() == getpid());
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(getpgrp() == getpgid(0));
    CHECK(getpgrp() == getpid(), "the group is another's");
    CHECK(getsid(0) > 0);
    if (getpgrp() == getpid()) CHECK(kill(0, SIGUSR1) == 0 && calls == round + 1, "%d", calls);
  }
  return finish();
}
