// The recipient and the number of the signal of a descriptor with O_ASYNC.
#include "place.h"

#include <signal.h>

static volatile int got, code, from;
static void handler(int number, siginfo_t* info, void* context) {
  (void)context;
  got = number, code = info->si_code, from = info->si_fd;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  OK(sigaction(SIGRTMIN + 3, &action, NULL));
  int ends[2];
  OK(pipe(ends));
  OK(fcntl(ends[0], F_SETOWN, getpid()));
  OK(fcntl(ends[0], F_SETSIG, SIGRTMIN + 3));
  OK(fcntl(ends[0], F_SETFL, O_ASYNC));
  for (int times = 0; times < 2; ++times) {
    line();
    got = 0;
    CHECK((fcntl(ends[0], F_GETFL) & O_ASYNC) != 0);
    CHECK(fcntl(ends[0], F_GETOWN) == getpid());
    CHECK(fcntl(ends[0], F_GETSIG) == SIGRTMIN + 3, "%d", fcntl(ends[0], F_GETSIG));
    CHECK(writes(ends[1], "x"));
    CHECK(got == SIGRTMIN + 3, "%d", got);
    CHECK(from == ends[0], "%d", from);
  }
  return finish();
}
