// The program about one interval timer, of any kind.
#pragma once
#include "fidelity.h"

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

/// kind: ITIMER_…; signal: that it sends      out: exit status
static inline int run_interval_timer(int argc, char** argv, __itimer_which_t kind, int signal) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_handler = handler, .sa_flags = SA_RESTART};
  const struct itimerval every = {{0, 20000}, {0, 20000}}, never = {0};
  struct itimerval left;
  sigaction(signal, &action, NULL);
  OK(setitimer(kind, &every, NULL));
  for (int round = 0; round < 2; ++round) {
    line();
    OK(getitimer(kind, &left));
    CHECK(left.it_interval.tv_usec == 20000, "%ld", left.it_interval.tv_usec);
    CHECK(left.it_value.tv_sec == 0 && left.it_value.tv_usec > 0 && left.it_value.tv_usec <= 24000, "%ld",
          left.it_value.tv_usec);
    const int before = calls;
    const double end = now() + 3;
    while (calls < before + 3 && now() < end) {}       // the processor's time is used
    CHECK(calls >= before + 3, "%d", calls - before);
  }
  OK(setitimer(kind, &never, NULL));
  return finish();
}
