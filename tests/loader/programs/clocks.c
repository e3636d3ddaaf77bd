/* Time and chance: the vDSO's functions are found, agree with the kernel, and cost no system call. */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <sched.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static int64_t now(clockid_t clock) {
  struct timespec t;
  CHECK(clock_gettime(clock, &t) == 0);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}
static int64_t asked_now(clockid_t clock) {
  struct timespec t;
  CHECK(syscall(SYS_clock_gettime, clock, &t) == 0);
  return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* Least time of a call, in nanoseconds: others may use the processor meanwhile, but not all the time. */
static int64_t cost(int64_t (*ask)(clockid_t)) {
  enum { rounds = 200, calls = 200 };
  int64_t least = INT64_MAX;
  for (int r = 0; r < rounds; ++r) {
    const int64_t begin = now(CLOCK_MONOTONIC);
    for (int i = 0; i < calls; ++i) ask(CLOCK_MONOTONIC);
    const int64_t took = now(CLOCK_MONOTONIC) - begin;
    if (took < least) least = took;
  }
  return least / calls;
}

static void agree(clockid_t clock) {
  const int64_t before = asked_now(clock), between = now(clock), after = asked_now(clock);
  CHECK(before <= between && between <= after);
}

int main(void) {
  for (int i = 0; i < 1000; ++i) {
    agree(CLOCK_REALTIME);
    agree(CLOCK_MONOTONIC);
    agree(CLOCK_BOOTTIME);
    agree(CLOCK_PROCESS_CPUTIME_ID);
    agree(CLOCK_THREAD_CPUTIME_ID);
  }
  struct timespec resolution;
  CHECK(clock_getres(CLOCK_MONOTONIC, &resolution) == 0 && resolution.tv_sec == 0);
  CHECK(clock_gettime(12345, &resolution) == -1 && errno == EINVAL);
  struct timeval t;
  const time_t before = time(NULL);
  /* time() tells the last tick's second: it may be behind, by less than one. */
  CHECK(gettimeofday(&t, NULL) == 0 && t.tv_sec >= before && time(NULL) + 1 >= t.tv_sec);
  unsigned processor = 0, node = 0;
  CHECK(getcpu(&processor, &node) == 0 && sched_getcpu() >= 0);
  const int64_t begin = now(CLOCK_MONOTONIC);
  const struct timespec moment = {0, 2000000};
  CHECK(nanosleep(&moment, NULL) == 0 && now(CLOCK_MONOTONIC) - begin >= 2000000);
  unsigned char random[64] = {0}, other[64] = {0};
  CHECK(getrandom(random, sizeof random, 0) == sizeof random && getentropy(other, sizeof other) == 0);
  CHECK(memcmp(random, other, sizeof random) != 0);
  const int64_t by_vdso = cost(now), by_kernel = cost(asked_now);
  fprintf(stderr, "clock_gettime: %lld ns, as a system call: %lld ns\n", (long long)by_vdso, (long long)by_kernel);
  CHECK(by_vdso < by_kernel);
  puts("clocks run");
}
