// Ranges of descriptors that are closed at once, or get close-on-exec, and loops over all numbers. The test lists the
// descriptors that are then open in a thread with its own table and in children. Under a high limit of open files the
// ranges take no time in proportion to it.
#include "fidelity.h"

#include <fcntl.h>
#include <linux/close_range.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { from = 100 };  // MPI's own are below, natively
static void show(const char* what, long result) {
  printf("%s: %ld %s\n", what, result, result < 0 ? strerror(errno) : "");
}
static int is_open(int fd) { return fcntl(fd, F_GETFD) >= 0; }
static void open_some(void) {
  static const int numbers[] = {100, 101, 104, 300, 511, 17000, 19000};
  for (unsigned i = 0; i < sizeof numbers / sizeof *numbers; ++i)
    CHECK(dup2(0, numbers[i]) == numbers[i], "%d", numbers[i]);
}
static void show_open(void) {
  for (int fd = from; fd < 20000; ++fd)
    if (fd < 512 || fd >= 16000)
      if (is_open(fd)) printf(" %d%s", fd, (fcntl(fd, F_GETFD) & FD_CLOEXEC) != 0 ? "x" : "");
  printf("\n");
}
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void ranges(void) {
  static const struct {
    unsigned first, last, flags;
  } all[] = {
      {101, 300, 0},
      {102, 19000, CLOSE_RANGE_CLOEXEC},
      {300, ~0u, 0},
      {~0u, ~0u, 0},
      {1u << 31, ~0u, 0},
      {104, 103, 0},
      {from, ~0u, 1u << 30},
      {104, 103, 1u << 30},
      {from, ~0u, CLOSE_RANGE_CLOEXEC},
      {17000, 17000, 0},
      {from, ~0u, 0},
  };
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) {
    open_some();
    show("close_range", syscall(SYS_close_range, all[i].first, all[i].last, all[i].flags));
    show_open();
  }
  open_some();
  closefrom(from);
  show_open();
}

static void loops(void) {
  open_some();
  long bad = 0;
  for (int fd = from; fd < 20000; ++fd) bad += close(fd) != 0 && errno == EBADF;
  show("closed one by one, not open", bad);
  show_open();
  show("a duplicate after the loop", fcntl(0, F_DUPFD, from));
  show("dup2 onto a number that was closed", dup2(0, 19000));
  show("open again", is_open(19000));
  show("close", close(19000));
  show("close again", close(19000));
  show("close of no number", close(-1));
  close(from);
}

static void* in_another_table(void* unused) {
  show("unshare", syscall(SYS_close_range, 101, ~0u, CLOSE_RANGE_UNSHARE));
  show_open();
  show("a duplicate", fcntl(0, F_DUPFD, from));
  show("close", close(101));
  show("close of what is not open here", close(300));
  return unused;
}
static void own_table(void) {
  pthread_t thread;
  open_some();
  CHECK(pthread_create(&thread, NULL, in_another_table, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  show_open();
  closefrom(from);
}

static void in_children(void) {
  open_some();
  fflush(stdout);
  for (int way = 0; way < 2; ++way) {
    const pid_t child = fork();
    if (child == 0) {
      if (way == 0) syscall(SYS_close_range, from, ~0u, 0);
      else closefrom(from);
      show_open();
      fflush(stdout);
      _exit(0);
    }
    CHECK(waitpid(child, NULL, 0) == child);
  }
  show_open();
  closefrom(from);
}

/* As high as this user may: a walk over all numbers would take minutes. */
static void with_a_high_limit(void) {
  struct rlimit limit;
  double best = 1e9;
  getrlimit(RLIMIT_NOFILE, &limit);
  const struct rlimit high = {1u << 30, 1u << 30}, highest = {limit.rlim_max, limit.rlim_max};
  if (setrlimit(RLIMIT_NOFILE, &high) != 0) setrlimit(RLIMIT_NOFILE, &highest);
  for (int i = 0; i < 5; ++i) {
    open_some();
    const double begin = now();
    syscall(SYS_close_range, from, ~0u, 0);
    if (now() - begin < best) best = now() - begin;
  }
  CHECK(best < 0.005, "%f s", best);
  show_open();
}

int main(int argc, char** argv) {
  struct rlimit limit;
  begin(&argc, &argv);
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  OK(setrlimit(RLIMIT_NOFILE, &limit));
  if (limit.rlim_max < 20000)
    return printf("the limit of open files is too low: %lu\n", (unsigned long)limit.rlim_max), finish();
  ranges(), loops(), own_table(), in_children(), with_a_high_limit();
  line();
  open_some();
  show_open();
  OK((int)syscall(SYS_close_range, 300, ~0u, 0));
  line();
  show_open();
  ranges();
  return finish();
}
