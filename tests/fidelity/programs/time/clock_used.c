// Processor time that clock(), getrusage, times and the threads' clocks report, also of children that were waited for.
// It continues from its value, and starts at 0 in children.
#include "fidelity.h"

#include <pthread.h>
#include <sys/resource.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>

enum { by_clock, by_usage, by_times, by_kernel, by_children, by_childrens_times, processes, by_thread = processes, by_thread_usage, all };
static pthread_barrier_t both;

static double seconds(struct timeval t) { return (double)t.tv_sec + 1e-6 * (double)t.tv_usec; }
static double used(int how) {
  struct timespec time;
  struct rusage usage;
  struct tms ticks;
  switch (how) {
    case by_clock: return (double)clock() / CLOCKS_PER_SEC;
    case by_usage: case by_thread_usage:
      getrusage(how == by_usage ? RUSAGE_SELF : RUSAGE_THREAD, &usage);
      return seconds(usage.ru_utime) + seconds(usage.ru_stime);
    case by_times: times(&ticks); return (double)(ticks.tms_utime + ticks.tms_stime) / (double)sysconf(_SC_CLK_TCK);
    case by_children:
      getrusage(RUSAGE_CHILDREN, &usage);
      return seconds(usage.ru_utime) + seconds(usage.ru_stime);
    case by_childrens_times: times(&ticks); return (double)(ticks.tms_cutime + ticks.tms_cstime) / (double)sysconf(_SC_CLK_TCK);
    case by_kernel: syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &time); break;
    default: clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  }
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check_lines(const char* who) {
  double before[all];
  struct rusage parts;
  getrusage(RUSAGE_SELF, &parts);
  for (int how = 0; how < all; ++how) before[how] = used(how);
  for (int round = 0; round < 2; ++round) {
    pthread_barrier_wait(&both);
    if (*who == 'm') line();
    pthread_barrier_wait(&both);
    for (int how = 0; how < all; ++how) {
      const double now = used(how);
      CHECK(now >= before[how] && now < before[how] + 20, "%s, %d: %.3f after %.3f", who, how, now, before[how]);
      before[how] = now;
    }
    struct rusage now;
    getrusage(RUSAGE_SELF, &now);
    CHECK(seconds(now.ru_utime) >= seconds(parts.ru_utime), "%s", who);
    CHECK(seconds(now.ru_stime) >= seconds(parts.ru_stime), "%s", who);
    parts = now;
  }
}
static void* other(void* unused) {
  while (used(by_thread) < 0.4) {}
  check_lines("other");
  return unused;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t thread;
  const pid_t busy = fork();
  if (busy == 0) {
    while (used(by_usage) < 0.3) {}
    _exit(used(by_children) == 0 ? 0 : 1);
  }
  int ended = -1;
  CHECK(waitpid(busy, &ended, 0) == busy && ended == 0, "%d", ended);
  CHECK(used(by_children) >= 0.3 && used(by_childrens_times) >= 0.28, "%.3f %.3f", used(by_children), used(by_childrens_times));
  pthread_barrier_init(&both, NULL, 2);
  pthread_create(&thread, NULL, other, NULL);
  while (used(by_thread) < 1.5) {}
  check_lines("main");
  pthread_join(thread, NULL);
  const pid_t child = fork();
  if (child == 0) _exit(used(by_clock) < 1 && used(by_thread) < 1 && used(by_usage) < 1 && used(by_children) == 0 ? 0 : 1);
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0, "%d", status);
  CHECK(used(by_thread) > 1.4 && used(by_clock) > 1.8, "%.3f %.3f", used(by_thread), used(by_clock));
  return finish();
}
