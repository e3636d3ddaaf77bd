// An alarm that is due in a thousand seconds, and one that comes after the line.
#include "fidelity.h"

#include <signal.h>
#include <time.h>

static volatile int calls;
static void handler(int signal) { (void)signal, ++calls; }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct timespec moment = {0, 50000000};
  const struct sigaction action = {.sa_handler = handler};
  sigaction(SIGALRM, &action, NULL);
  alarm(1000);
  line();
  const unsigned left = alarm(1);
  CHECK(left > 900 && left <= 1000, "%u", left);
  line();
  for (int wait = 0; wait < 1200 && calls == 0; ++wait) nanosleep(&moment, NULL);
  CHECK(calls == 1, "%d", calls);
  return finish();
}
