// A program that asked once who it is, and later uses that answer for itself and its main thread.
#include "../fidelity.h"

#include <signal.h>

static volatile int calls;
static void handler(int signal) { (void)signal, ++calls; }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_handler = handler};
  sigaction(SIGUSR1, &action, NULL);
  const pid_t self = getpid();
  char place[64];
  snprintf(place, sizeof place, "/proc/%d/comm", self);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(getpid() == self, "another process's number");
    CHECK(kill(self, SIGUSR1) == 0 && calls == round + 1, "%d", calls);
    CHECK(access(place, R_OK) == 0);
  }
  return finish();
}
