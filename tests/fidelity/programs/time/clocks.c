// Clocks never go back, and differences stay small. The processor's time continues sensibly.
#include "fidelity.h"

#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>

static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_MONOTONIC_RAW,
                                   CLOCK_MONOTONIC_COARSE};
enum { count = sizeof clocks / sizeof *clocks };
static double now(clockid_t clock) {
  struct timespec time;
  OK(clock_gettime(clock, &time));
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  double before[count], mpi = MPI_Wtime();
  for (int which = 0; which < count; ++which) before[which] = now(clocks[which]);
  for (int round = 0; round < 2; ++round) {
    line();
    for (int which = 0; which < count; ++which) {
      const double gone = now(clocks[which]) - before[which];
      CHECK(gone >= 0 && gone < 60, "clock %d: %.3f s", which, gone);
    }
    CHECK(MPI_Wtime() >= mpi && MPI_Wtime() < mpi + 60);
    struct timeval time;
    gettimeofday(&time, NULL);
    CHECK((double)time.tv_sec - before[1] < 60 && labs(time.tv_sec - syscall(SYS_time, NULL)) <= 1);
    const clock_t used = clock();
    struct rusage usage;
    for (volatile long work = 0; work < 30000000; ++work) {}
    CHECK(clock() > used && used > 0);
    OK(getrusage(RUSAGE_SELF, &usage));
    const double seconds = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec);
    CHECK(seconds < 60 && usage.ru_maxrss > 0);
    CHECK(now(CLOCK_THREAD_CPUTIME_ID) <= now(CLOCK_PROCESS_CPUTIME_ID) + 0.001);
  }
  return finish();
}
