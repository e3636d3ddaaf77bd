/* Calls that show a clock or wait until a time of one: results, errors and registers are the kernel's own, by libc and
 * as raw system calls, in the process and in a forked child. Also run where the program's clocks are not the kernel's. */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
enum { number_of_futex_wait = 455, lock_pi2 = 13 };
struct waiter { uint64_t value, address; uint32_t flags, reserved; };

static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME,
                                   CLOCK_REALTIME, CLOCK_REALTIME_COARSE, CLOCK_TAI, CLOCK_PROCESS_CPUTIME_ID,
                                   CLOCK_THREAD_CPUTIME_ID, -6 /* the process */, -2 /* the thread */};
enum { clock_count = sizeof clocks / sizeof *clocks };
static volatile int signals;
static void on_signal(int number) { signals += number > 0; }

static int64_t ns(struct timespec t) { return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec; }
static struct timespec of_ns(int64_t t) { return (struct timespec){t / 1000000000, t % 1000000000}; }
static int64_t now(clockid_t clock) {
  struct timespec t;
  CHECK(clock_gettime(clock, &t) == 0);
  return ns(t);
}
static int64_t asked_now(clockid_t clock) {
  struct timespec t;
  CHECK(syscall(SYS_clock_gettime, clock, &t) == 0);
  return ns(t);
}
static struct timespec in(clockid_t clock, int64_t milliseconds) { return of_ns(now(clock) + milliseconds * 1000000); }

/* A raw call whose registers must be as they were, and its result. */
static long call(long number, long a, long b, long c, long d, long e, long f) {
  long result = number, rdi = a, rsi = b, rdx = c;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "+a"(result), "+D"(rdi), "+S"(rsi), "+d"(rdx), "+r"(r10), "+r"(r8), "+r"(r9)
                   :
                   : "rcx", "r11", "memory");
  CHECK(rdi == a && rsi == b && rdx == c && r10 == d && r8 == e && r9 == f);
  return result;
}
#define WORD(pointer) ((long)(uintptr_t)(pointer))

enum { sleep_libc, sleep_raw, bitset, pi2, requeue_pi, waitv, futex2, condition, mutex, kinds };
static uint32_t word, target, held;

static long wait_until(int kind, clockid_t clock, const struct timespec* end) {
  struct waiter waiter = {0, (uint64_t)(uintptr_t)&word, 2 | FUTEX_PRIVATE_FLAG, 0};
  pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t signal;
  switch (kind) {
    case sleep_libc: return -clock_nanosleep(clock, TIMER_ABSTIME, end, NULL);
    case sleep_raw: return call(SYS_clock_nanosleep, clock, TIMER_ABSTIME, WORD(end), 0, 5, 6);
    case bitset:
      return call(SYS_futex, WORD(&word), FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, 0, WORD(end), 5, 0xffffffff);
    case pi2: return call(SYS_futex, WORD(&held), lock_pi2, 0, WORD(end), 5, 6);
    case requeue_pi: return call(SYS_futex, WORD(&word), FUTEX_WAIT_REQUEUE_PI, 0, WORD(end), WORD(&target), 6);
    case waitv: return call(SYS_futex_waitv, WORD(&waiter), 1, 0, WORD(end), clock, 6);
    case futex2: return call(number_of_futex_wait, WORD(&word), 0, 0xffffffff, 2, WORD(end), clock);
    case condition: {
      pthread_cond_init(&signal, NULL);
      pthread_mutex_lock(&lock);
      int found = 0;
      while (found == 0) found = pthread_cond_clockwait(&signal, &lock, clock, end);
      return -found;
    }
    default: pthread_mutex_lock(&lock); return -pthread_mutex_clocklock(&lock, clock, end);
  }
}
static int is_there(int kind) {
  struct timespec past = {0, 1};
  return wait_until(kind, CLOCK_MONOTONIC, &past) != -ENOSYS;
}

static void waits_end(int kind) {
  for (int which = 0; which < 3; ++which) {
    const clockid_t clock = which == 0 ? CLOCK_MONOTONIC : which == 1 ? CLOCK_BOOTTIME : CLOCK_REALTIME;
    if (kind > sleep_raw && which != 0 && !(which == 2 && kind >= waitv)) continue;
    const struct timespec end = in(clock, 60), past = in(clock, -1000);
    const long wanted = kind <= sleep_raw ? 0 : -ETIMEDOUT;
    CHECK(wait_until(kind, clock, &end) == wanted);
    const int64_t late = now(clock) - ns(end);
    CHECK(late >= 0 && late < 20000000000);
    CHECK(wait_until(kind, clock, &past) == wanted && now(clock) - ns(end) < 20000000000);
  }
}

/* What is no time is refused, what has long passed ends at once, what never comes is waited for. */
static void odd_times(int kind) {
  const struct timespec wrong = {1, 1000000000}, negative = {-1, 0}, first = {0, 0}, never = {INT64_MAX, 999999999};
  const long wanted = kind <= sleep_raw ? 0 : -ETIMEDOUT;
  CHECK(wait_until(kind, CLOCK_MONOTONIC, &wrong) == -EINVAL);
  CHECK(wait_until(kind, CLOCK_MONOTONIC, &first) == wanted);
  if (kind >= condition) return;
  CHECK(wait_until(kind, CLOCK_MONOTONIC, &negative) == -EINVAL);
  if (kind != sleep_libc) CHECK(wait_until(kind, CLOCK_MONOTONIC, (const struct timespec*)8) == -EFAULT);
  if (kind != sleep_raw && kind != bitset) return;
  const int before = signals;
  const struct itimerval soon = {{0, 0}, {0, 30000}};
  setitimer(ITIMER_REAL, &soon, NULL);
  CHECK(wait_until(kind, CLOCK_MONOTONIC, &never) == -EINTR && signals == before + 1);
}

/* A signal that restarts calls comes while each waits: those that natively begin again do. */
static void restarted(int kind) {
  const struct timespec end = in(CLOCK_MONOTONIC, 120);
  const struct itimerval often = {{0, 0}, {0, 30000}};
  setitimer(ITIMER_REAL, &often, NULL);
  const long result = wait_until(kind, CLOCK_MONOTONIC, &end);
  const int64_t late = now(CLOCK_MONOTONIC) - ns(end);
  if (result == -EINTR) CHECK(late < 0);
  else CHECK(result == (kind <= sleep_raw ? 0 : -ETIMEDOUT) && late >= 0);
  printf("a signal during wait %d: %s\n", kind, result == -EINTR ? "interrupted" : "goes on");
}

static void timers(void) {
  for (int which = 0; which < 3; ++which) {
    const clockid_t clock = which == 0 ? CLOCK_MONOTONIC : which == 1 ? CLOCK_BOOTTIME : CLOCK_REALTIME;
    const int fd = timerfd_create(clock, TFD_NONBLOCK);
    timer_t id, before[3];
    struct sigevent none = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG};      /* ignored */
    for (int i = 0; i < 3; ++i) CHECK(timer_create(CLOCK_REALTIME, &none, &before[i]) == 0);
    CHECK(timer_create(clock, &none, &id) == 0);
    const struct itimerspec far = {{7, 0}, in(clock, 100000)}, stop = {{0, 0}, {0, 0}}, wrong = {{0, 0}, {0, -1}};
    struct itimerspec left, old;
    CHECK(timerfd_settime(fd, TFD_TIMER_ABSTIME, &far, NULL) == 0 && timerfd_gettime(fd, &left) == 0);
    CHECK(left.it_value.tv_sec >= 80 && left.it_value.tv_sec < 100 && left.it_interval.tv_sec == 7);
    CHECK(syscall(SYS_timer_settime, id, TIMER_ABSTIME, &far, NULL) == 0 && timer_gettime(id, &left) == 0);
    CHECK(left.it_value.tv_sec >= 80 && left.it_value.tv_sec < 100 && left.it_interval.tv_sec == 7);
    CHECK(timerfd_settime(fd, TFD_TIMER_ABSTIME, &wrong, NULL) == -1 && errno == EINVAL);
    CHECK(timerfd_settime(fd, TFD_TIMER_ABSTIME, &stop, &old) == 0);
    CHECK(old.it_value.tv_sec >= 80 && old.it_value.tv_sec < 100);
    CHECK(timerfd_gettime(fd, &left) == 0 && left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
    CHECK(timer_settime(id, TIMER_ABSTIME, &stop, &old) == 0 && old.it_value.tv_sec >= 80 && old.it_value.tv_sec < 100);
    CHECK(timer_gettime(id, &left) == 0 && left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
    CHECK(syscall(SYS_timerfd_settime, fd, TFD_TIMER_ABSTIME, 8, NULL) == -1 && errno == EFAULT);
    CHECK(syscall(SYS_timerfd_settime, 0, TFD_TIMER_ABSTIME, &far, NULL) == -1 && errno == EINVAL);
    CHECK(syscall(SYS_timerfd_settime, -1, TFD_TIMER_ABSTIME, &far, NULL) == -1 && errno == EBADF);
    CHECK(syscall(SYS_timer_settime, 12345, TIMER_ABSTIME, &far, NULL) == -1 && errno == EINVAL);
    CHECK(syscall(SYS_timer_settime, id, TIMER_ABSTIME, NULL, NULL) == -1 && errno == EINVAL);
    const struct itimerspec soon = {{0, 0}, in(clock, 50)}, past = {{0, 0}, in(clock, -500)};
    struct pollfd ready = {fd, POLLIN, 0};
    CHECK(timerfd_settime(fd, TFD_TIMER_ABSTIME, &soon, NULL) == 0 && poll(&ready, 1, 20000) == 1);
    CHECK(now(clock) >= ns(soon.it_value));
    CHECK(timerfd_settime(fd, TFD_TIMER_ABSTIME, &past, NULL) == 0 && poll(&ready, 1, 20000) == 1);
    CHECK(close(fd) == 0 && timer_delete(id) == 0);
    for (int i = 0; i < 3; ++i) timer_delete(before[i]);
  }
}

/* The processor's time is one, however it is asked for. */
static void used(void) {
  struct rusage usage;
  struct tms ticks;
  const double process = 1e-9 * (double)now(CLOCK_PROCESS_CPUTIME_ID);
  const double thread = 1e-9 * (double)now(CLOCK_THREAD_CPUTIME_ID);
  CHECK(getrusage(RUSAGE_SELF, &usage) == 0 && times(&ticks) != -1);
  const double by_usage = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
                          1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
  const double by_ticks = 0.01 * (double)(ticks.tms_utime + ticks.tms_stime);
  CHECK(by_usage - process < 0.5 && process - by_usage < 0.5);
  CHECK(by_ticks - process < 0.5 && process - by_ticks < 0.5);
  CHECK((double)clock() / CLOCKS_PER_SEC - process < 0.5 && thread < process + 0.01);
  CHECK(getrusage(RUSAGE_CHILDREN, &usage) == 0 && usage.ru_utime.tv_sec < 10);
  CHECK(call(SYS_getrusage, RUSAGE_SELF, 8, 3, 4, 5, 6) == -EFAULT);
  CHECK(call(SYS_getrusage, 77, WORD(&usage), 3, 4, 5, 6) == -EINVAL);
  timer_t id;
  struct sigevent ignored = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGURG};
  struct itimerspec left;
  const struct itimerspec far = {{0, 0}, in(CLOCK_PROCESS_CPUTIME_ID, 100000)};
  CHECK(timer_create(CLOCK_PROCESS_CPUTIME_ID, &ignored, &id) == 0);
  CHECK(timer_settime(id, TIMER_ABSTIME, &far, NULL) == 0 && timer_gettime(id, &left) == 0);
  CHECK(left.it_value.tv_sec > 80 && left.it_value.tv_sec <= 100 && timer_delete(id) == 0);
}

static void shown(void) {
  struct timespec t;
  for (int round = 0; round < 200; ++round)
    for (int i = 0; i < clock_count; ++i) {
      const int64_t before = asked_now(clocks[i]), between = now(clocks[i]), after = asked_now(clocks[i]);
      CHECK(before <= between && between <= after);
    }
  const int64_t coarse = now(CLOCK_MONOTONIC_COARSE), fine = now(CLOCK_MONOTONIC);
  CHECK(coarse <= fine && fine - coarse < 10000000000);
  CHECK(call(SYS_clock_gettime, CLOCK_MONOTONIC, 8, 3, 4, 5, 6) == -EFAULT);
  CHECK(call(SYS_clock_gettime, 12345, WORD(&t), 3, 4, 5, 6) == -EINVAL);
  CHECK(call(SYS_clock_getres, CLOCK_MONOTONIC, WORD(&t), 3, 4, 5, 6) == 0 && t.tv_sec == 0 && t.tv_nsec == 1);
  struct tms used;
  const clock_t ticks = times(&used);
  usleep(50000);
  CHECK(times(&used) - ticks >= 4 && times(&used) - ticks < 2000);
  CHECK(syscall(SYS_times, NULL) - ticks < 2000);
}

static void all(void) {
  shown();
  used();
  timers();
  for (int kind = 0; kind < kinds; ++kind) {
    if (!is_there(kind)) continue;
    waits_end(kind);
    odd_times(kind);
    restarted(kind);
  }
}

static void* holder(void* unused) {
  (void)unused;
  CHECK(syscall(SYS_futex, &held, FUTEX_LOCK_PI, 0, NULL, NULL, 0) == 0);
  for (;;) pause();
  return NULL;
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART};
  sigaction(SIGALRM, &action, NULL);
  pthread_t thread;
  sigset_t alarm;
  sigemptyset(&alarm), sigaddset(&alarm, SIGALRM);
  pthread_sigmask(SIG_BLOCK, &alarm, NULL);
  pthread_create(&thread, NULL, holder, NULL);
  pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
  while (__atomic_load_n(&held, __ATOMIC_SEQ_CST) == 0) sched_yield();
  all();
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    shown();
    CHECK(now(CLOCK_PROCESS_CPUTIME_ID) < 1000000000 && now(CLOCK_THREAD_CPUTIME_ID) < 1000000000);
    used();
    timers();
    for (int kind = 0; kind < kinds; ++kind)
      if (kind != pi2 && is_there(kind)) waits_end(kind);
    _exit(0);
  }
  int status = -1;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  puts("clock calls are as they should be");
}
