// The processor's time used, by clock(), getrusage and the thread's clock: it does not go back.
#include "../fidelity.h"

#include <sys/resource.h>
#include <time.h>

static double used(int how) {
  struct timespec time;
  struct rusage usage;
  switch (how) {
    case 0: return (double)clock() / CLOCKS_PER_SEC;
    case 1: getrusage(RUSAGE_SELF, &usage); return (double)usage.ru_utime.tv_sec + 1e-6 * (double)usage.ru_utime.tv_usec;
    default: clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time); return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  double before[3];
  while (used(2) < 1.5) {}
  for (int how = 0; how < 3; ++how) before[how] = used(how);
  for (int round = 0; round < 2; ++round) {
    line();
    for (int how = 0; how < 3; ++how) {
      CHECK(used(how) >= before[how], "%s goes back", how == 0 ? "clock" : how == 1 ? "getrusage" : "the thread's clock");
      before[how] = used(how);
    }
  }
  return finish();
}
