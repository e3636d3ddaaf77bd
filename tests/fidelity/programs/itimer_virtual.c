// An interval timer (ITIMER_VIRTUAL): its signals go on after a line, and what is left is sensible.
#include "../fidelity.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

static volatile int calls;
static void handler(int signal) { (void)signal, ++calls; }
static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  const struct itimerval every = {{0, 20000}, {0, 20000}}, never = {0};
  struct itimerval left;
  sigaction(SIGVTALRM, &action, NULL);
  OK(setitimer(ITIMER_VIRTUAL, &every, NULL));
  for (int round = 0; round < 2; ++round) {
    line();
    OK(getitimer(ITIMER_VIRTUAL, &left));
    CHECK(left.it_interval.tv_usec == 20000, "%ld", left.it_interval.tv_usec);
    CHECK(left.it_value.tv_sec == 0 && left.it_value.tv_usec > 0 && left.it_value.tv_usec <= 24000, "%ld",
          left.it_value.tv_usec);
    const int before = calls;
    const double end = now() + 3;
    while (calls < before + 3 && now() < end) {}       // the processor's time is used
    CHECK(calls >= before + 3, "%d", calls - before);
  }
  OK(setitimer(ITIMER_VIRTUAL, &never, NULL));
  return finish();
}
