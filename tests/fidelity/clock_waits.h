// Clocks that begin at a node's boot, and all that waits until a time of one: threads that wait while the line comes,
// timers that are set then, and calls that begin after it. No clock goes back or forth, nothing ends early, all ends by
// its time.
#include "fidelity.h"

#include <linux/futex.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sysinfo.h>
#include <sys/timerfd.h>
#include <sys/times.h>
#include <time.h>

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
#ifndef SYS_epoll_pwait2
#define SYS_epoll_pwait2 441
#endif
enum { number_of_futex_wait = 455, lock_pi2 = 13 };

static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_MONOTONIC_COARSE, CLOCK_MONOTONIC_RAW, CLOCK_BOOTTIME};
enum { clock_count = sizeof clocks / sizeof *clocks };

static int64_t ns(struct timespec t) { return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec; }
static struct timespec of_ns(int64_t t) { return (struct timespec){t / 1000000000, t % 1000000000}; }
static int64_t now(clockid_t clock) {
  struct timespec t;
  OK(clock_gettime(clock, &t));
  return ns(t);
}
static int64_t asked_now(clockid_t clock) {
  struct timespec t;
  OK(syscall(SYS_clock_gettime, clock, &t));
  return ns(t);
}

/// By the clock: not early, and not by another node's.
static void check_end(const char* what, int kind, clockid_t clock, int64_t end) {
  const int64_t late = now(clock) - end;
  CHECK(late >= 0, "%s %d is early by %ld ms", what, kind, (long)(-late / 1000000));
  CHECK(late < 40000000000, "%s %d is late by %ld s", what, kind, (long)(late / 1000000000));
}

enum kind {
  sleep_libc, sleep_boottime, sleep_raw, condition, semaphore, mutex, lock, in_join, bitset, bitset_raw, pi, pi2, requeue_pi,
  waitv, futex2, kinds
};
static uint32_t word, target, held;
static sem_t empty;
static pthread_mutex_t locked = PTHREAD_MUTEX_INITIALIZER, locked_pi;
static pthread_rwlock_t written = PTHREAD_RWLOCK_INITIALIZER;
static pthread_t main_thread;

static long raw(long number, long a, long b, long c, long d, long e, long f) {
  long result;
  do {                                     // a park that comes into a call of this form is seen by it: see the user guide
    const long got = syscall(number, a, b, c, d, e, f);
    result = got == -1 ? -errno : got;
  } while (result == -EINTR);
  return result;
}
#define WORD(pointer) ((long)(uintptr_t)(pointer))

static clockid_t clock_of(int kind) { return kind == sleep_boottime ? CLOCK_BOOTTIME : CLOCK_MONOTONIC; }

static long wait_by(int kind, const struct timespec* end) {
  struct { uint64_t value, address; uint32_t flags, reserved; } waiter = {0, (uintptr_t)&word, 2 | FUTEX_PRIVATE_FLAG, 0};
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t signal = PTHREAD_COND_INITIALIZER;
  long found = 0;
  switch (kind) {
    case sleep_libc: case sleep_boottime: return -clock_nanosleep(clock_of(kind), TIMER_ABSTIME, end, NULL);
    case sleep_raw: return raw(SYS_clock_nanosleep, CLOCK_MONOTONIC, TIMER_ABSTIME, WORD(end), 0, 0, 0);
    case condition:
      pthread_mutex_lock(&own);
      while (found == 0) found = pthread_cond_clockwait(&signal, &own, CLOCK_MONOTONIC, end);
      return -found;
    case semaphore: return sem_clockwait(&empty, CLOCK_MONOTONIC, end) == 0 ? 0 : -errno;
    case mutex: return -pthread_mutex_clocklock(&locked, CLOCK_MONOTONIC, end);
    case pi: return -pthread_mutex_clocklock(&locked_pi, CLOCK_MONOTONIC, end);
    case lock: return -pthread_rwlock_clockrdlock(&written, CLOCK_MONOTONIC, end);
    case in_join: return -pthread_clockjoin_np(main_thread, NULL, CLOCK_MONOTONIC, end);
    case bitset: case bitset_raw:
      return raw(SYS_futex, WORD(&word), FUTEX_WAIT_BITSET | (kind == bitset ? FUTEX_PRIVATE_FLAG : 0), 0, WORD(end), 0,
                 1);
    case pi2: return raw(SYS_futex, WORD(&held), lock_pi2, 0, WORD(end), 0, 0);
    case requeue_pi: return raw(SYS_futex, WORD(&word), FUTEX_WAIT_REQUEUE_PI, 0, WORD(end), WORD(&target), 0);
    case waitv: return raw(SYS_futex_waitv, WORD(&waiter), 1, 0, WORD(end), CLOCK_MONOTONIC, 0);
    default: return raw(number_of_futex_wait, WORD(&word), 0, 1, 2, WORD(end), CLOCK_MONOTONIC);
  }
}

/// A lock that a raw call holds has the number of a thread, which is another one after a restart; old kernels and the C
/// library's inheriting mutexes know some calls not.
static int is_kept(int kind) {
  static const struct timespec past = {0, 1};
  if (kind == pi2) return what_at(lines_met) != 's' && wait_by(kind, &past) == -ETIMEDOUT;
  const long found = kind == waitv || kind == futex2 || kind == pi ? wait_by(kind, &past) : 0;
  return found != -ENOSYS && found != -EINVAL;
}

static void check_wait(const char* what, int kind, int64_t end) {
  const struct timespec until = of_ns(end);
  const long wanted = kind <= sleep_raw ? 0 : -ETIMEDOUT, found = wait_by(kind, &until);
  CHECK(found == wanted, "%s %d: %s", what, kind, strerror((int)-found));
  check_end(what, kind, clock_of(kind), end);
}
static int64_t ends[2];                     // of the waits under way: by CLOCK_MONOTONIC and CLOCK_BOOTTIME
static void* body(void* kind) {
  check_wait("a wait under way", (int)(long)kind, ends[(long)kind == sleep_boottime]);
  return NULL;
}

/// By a thread that holds none of the locks.
static void* new_waits(void* kept) {
  for (int kind = 0; kind < kinds; ++kind)
    if (((const int*)kept)[kind]) check_wait("a new wait", kind, now(clock_of(kind)) + 30000000);
  return NULL;
}

static void hold_locks(void) {
  pthread_mutexattr_t inherits;
  pthread_mutexattr_init(&inherits);
  pthread_mutexattr_setprotocol(&inherits, PTHREAD_PRIO_INHERIT);
  pthread_mutex_init(&locked_pi, &inherits);
  pthread_mutex_lock(&locked), pthread_mutex_lock(&locked_pi), pthread_rwlock_wrlock(&written), sem_init(&empty, 0, 0);
  held = (uint32_t)syscall(SYS_gettid);
}

static int fired[2];
static void on_timer(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  const int which = info->si_value.sival_int;
  const clockid_t clock = which == 0 ? CLOCK_MONOTONIC : CLOCK_BOOTTIME;
  check_end("timer", which, clock, ends[which]);
  __atomic_store_n(&fired[which], 1, __ATOMIC_SEQ_CST);
}

/// Timers that are set to the ends, by both clocks.
struct timers { int descriptors[2], relative; timer_t ids[2]; };
static void set_timers(const struct timers* t) {
  for (int which = 0; which < 2; ++which) {
    const struct itimerspec until = {{0, 0}, of_ns(ends[which])};
    fired[which] = 0;
    OK(timerfd_settime(t->descriptors[which], TFD_TIMER_ABSTIME, &until, NULL));
    OK(timer_settime(t->ids[which], TIMER_ABSTIME, &until, NULL));
  }
  const struct itimerspec later = {{0, 0}, of_ns(ends[0] - now(CLOCK_MONOTONIC) + 1000000)};
  OK(timerfd_settime(t->relative, 0, &later, NULL));
}
static void make_timers(struct timers* t) {
  const struct sigaction action = {.sa_sigaction = on_timer, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigaction(SIGRTMIN + 3, &action, NULL);
  for (int which = 0; which < 2; ++which) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3, .sigev_value.sival_int = which};
    const clockid_t clock = which == 0 ? CLOCK_MONOTONIC : CLOCK_BOOTTIME;
    OK(t->descriptors[which] = timerfd_create(clock, 0));
    OK(timer_create(clock, &event, &t->ids[which]));
  }
  OK(t->relative = timerfd_create(CLOCK_MONOTONIC, 0));
}
static void check_timers(const struct timers* t) {
  for (int which = 0; which < 3; ++which) {
    struct pollfd ready = {which < 2 ? t->descriptors[which] : t->relative, POLLIN, 0};
    int found = 0;
    while ((found = poll(&ready, 1, 40000)) == -1 && errno == EINTR) {}
    CHECK(found == 1, "timer %d: %d", which, found);
    check_end("timerfd", which, which == 1 ? CLOCK_BOOTTIME : CLOCK_MONOTONIC, ends[which == 1]);
  }
  for (int which = 0; which < 2; ++which) CHECK(comes_to(&fired[which], 1), "timer %d", which);
}

/// Calls with a time that passes from their beginning, or until a date: none of the clocks changes them.
static void check_others(void) {
  const int64_t begin = now(CLOCK_MONOTONIC);
  const struct timespec soon = {0, 20000000};
  struct timespec date = of_ns(now(CLOCK_REALTIME) + 20000000), rest = soon;
  struct timeval rest_too = {0, 20000};
  struct epoll_event event;
  struct sembuf take = {0, -1, 0};
  const int waiting = epoll_create1(0), set = semget(IPC_PRIVATE, 1, 0600);
  CHECK(syscall(SYS_ppoll, NULL, 0, &rest, NULL, 8) == 0);
  CHECK(pselect(0, NULL, NULL, NULL, &soon, NULL) == 0);
  CHECK(select(0, NULL, NULL, NULL, &rest_too) == 0);
  CHECK(syscall(SYS_epoll_pwait2, waiting, &event, 1, &soon, NULL, 0) == 0 || errno == ENOSYS);
  CHECK(semtimedop(set, &take, 1, &soon) == -1 && errno == EAGAIN);
  CHECK(syscall(SYS_futex, &word, FUTEX_WAIT, 0, &soon, NULL, 0) == -1 && errno == ETIMEDOUT);
  const int by_date = FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME;
  CHECK(syscall(SYS_futex, &word, by_date, 0, &date, NULL, 1) == -1 && errno == ETIMEDOUT);
  CHECK(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &date, NULL) == 0);
  CHECK(clock_nanosleep(CLOCK_BOOTTIME, 0, &soon, NULL) == 0);
  CHECK(sem_timedwait(&empty, &date) == -1 && errno == ETIMEDOUT);
  struct mq_attr size = {.mq_maxmsg = 1, .mq_msgsize = 8};
  char name[40], text[8];
  snprintf(name, sizeof name, "/clock_waits.%d", (int)getpid());
  const mqd_t queue = mq_open(name, O_CREAT | O_RDWR, 0600, &size);
  if (queue != (mqd_t)-1) {
    date = of_ns(now(CLOCK_REALTIME) + 20000000);
    CHECK(mq_timedreceive(queue, text, sizeof text, NULL, &date) == -1 && errno == ETIMEDOUT);
    mq_close(queue), mq_unlink(name);
  }
  semctl(set, 0, IPC_RMID), close(waiting);
  CHECK(now(CLOCK_MONOTONIC) - begin < 40000000000);
}

int main(int argc, char** argv) {
  enum { wait_ms = 2500 };
  begin(&argc, &argv);
  main_thread = pthread_self();
  hold_locks();
  struct timers timers;
  make_timers(&timers);
  int64_t before[clock_count];
  clock_t ticks = times(NULL);
  for (int which = 0; which < clock_count; ++which) before[which] = now(clocks[which]);
  double mpi = MPI_Wtime();
  for (int round = 0; round < 2; ++round) {
    pthread_t all[kinds];
    int kept[kinds];
    sigset_t signal;
    sigemptyset(&signal), sigaddset(&signal, SIGRTMIN + 3);
    pthread_sigmask(SIG_BLOCK, &signal, NULL);
    for (int which = 0; which < 2; ++which)
      ends[which] = now(which == 0 ? CLOCK_MONOTONIC : CLOCK_BOOTTIME) + wait_ms * 1000000LL;
    for (int kind = 0; kind < kinds; ++kind)
      if ((kept[kind] = is_kept(kind))) pthread_create(&all[kind], NULL, body, (void*)(long)kind);
    set_timers(&timers);
    pthread_sigmask(SIG_UNBLOCK, &signal, NULL);
    usleep(50000);
    line();
    for (int which = 0; which < clock_count; ++which) {
      const int64_t gone = asked_now(clocks[which]) - before[which], too = now(clocks[which]) - before[which];
      CHECK(gone >= 0 && gone < 60000000000, "clock %d: %ld ms", which, (long)(gone / 1000000));
      CHECK(too >= gone && too < 60000000000, "clock %d: %ld ms", which, (long)(too / 1000000));
      before[which] = now(clocks[which]);
    }
    CHECK(times(NULL) >= ticks && times(NULL) - ticks < 6000, "%ld", (long)(times(NULL) - ticks));
    CHECK(MPI_Wtime() >= mpi && MPI_Wtime() < mpi + 60);
    ticks = times(NULL), mpi = MPI_Wtime();
    for (int kind = 0; kind < kinds; ++kind)
      if (kept[kind]) pthread_join(all[kind], NULL);
    check_timers(&timers);
    held = (uint32_t)syscall(SYS_gettid);
    pthread_create(&all[0], NULL, new_waits, kept);
    pthread_join(all[0], NULL);
    check_others();
  }
  return finish();
}
