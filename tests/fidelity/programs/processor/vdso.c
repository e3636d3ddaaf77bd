// The vDSO's answers are the kernel's, before and after.
#include "fidelity.h"

#include <sched.h>
#include <time.h>

static double by(int kernel, clockid_t clock) {
  struct timespec time = {0};
  OK(kernel ? syscall(SYS_clock_gettime, clock, &time) : clock_gettime(clock, &time));
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);

  for (int round = 0; round < 2; ++round) {
    line();
    for (int clock = 0; clock < 2; ++clock) {
      const double before = by(1, clock), library = by(0, clock), after = by(1, clock);
      CHECK(before <= library && library <= after, "clock %d", clock);
    }
    CHECK(sched_getcpu() >= 0);
  }
  return finish();
}
