// INV-83: System calls change no general register except three, as the kernel promises: calls of many kinds, and waits
// of many kinds in which threads stand at the lines. The waits end by their time, and find all arguments unchanged.
#include "fidelity.h"

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

enum { kinds = 9, milliseconds = 40 };

static int stopped;                     // the threads are to end
static int32_t word;                    // a futex that nobody wakes
static int epoll;
static int made[kinds];

struct call {
  long number, argument[6];
};

/* As libc makes its calls: the number is loaded by the instruction before, by which a wait is known that is made again. */
#define MAKE(number)                                                                                     \
  case number:                                                                                           \
    __asm__ volatile("mov %[nr], %%eax\n\tsyscall"                                                       \
                     : "=&a"(*result), "+D"(rdi), "+S"(rsi), "+d"(rdx), "+r"(r10), "+r"(r8), "+r"(r9)    \
                     : [nr] "i"(number) : "rcx", "r11", "memory");                                       \
    break

/* out: whether all six arguments are in their registers afterwards */
static int holds(const struct call* c, long* result) {
  long rdi = c->argument[0], rsi = c->argument[1], rdx = c->argument[2];
  register long r10 __asm__("r10") = c->argument[3];
  register long r8 __asm__("r8") = c->argument[4];
  register long r9 __asm__("r9") = c->argument[5];
  switch (c->number) {
    MAKE(SYS_clock_nanosleep);
    MAKE(SYS_futex);
    MAKE(SYS_nanosleep);
    MAKE(SYS_poll);
    MAKE(SYS_rt_sigtimedwait);
    MAKE(SYS_pselect6);
    MAKE(SYS_epoll_pwait);
    MAKE(SYS_kill);
    MAKE(SYS_tgkill);
    MAKE(SYS_tkill);
    MAKE(SYS_getpriority);
    MAKE(SYS_ppoll);
    MAKE(SYS_dup);
    MAKE(SYS_rt_sigprocmask);
    MAKE(SYS_sched_yield);
    default: abort();
  }
  const long after[6] = {rdi, rsi, rdx, r10, r8, r9};
  return memcmp(after, c->argument, sizeof after) == 0;
}

static struct timespec later(clockid_t clock) {
  struct timespec at;
  clock_gettime(clock, &at);
  at.tv_nsec += milliseconds * 1000000L;
  if (at.tv_nsec >= 1000000000L) at.tv_nsec -= 1000000000L, ++at.tv_sec;
  return at;
}

static double now(void) {
  struct timespec at;
  clock_gettime(CLOCK_MONOTONIC, &at);
  return (double)at.tv_sec + 1e-9 * (double)at.tv_nsec;
}

/* A wait of some milliseconds, and its result. Registers that the kernel does not look at hold marks. */
static struct call wait_of(int kind, struct timespec* time, sigset_t* set, const void* pair, long* wanted) {
  const long where = (long)time, mark = 0x5151515151, until = FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG;
  *time = (struct timespec){0, milliseconds * 1000000L};
  if (kind < 2) *time = later(kind == 0 ? CLOCK_MONOTONIC : CLOCK_BOOTTIME);
  if (kind == 2) *time = later(CLOCK_MONOTONIC);
  *wanted = kind < 2 || kind == 3 || kind == 4 ? 0 : kind == 2 || kind == 5 ? -ETIMEDOUT : kind == 6 ? -EAGAIN : 0;
  switch (kind) {
    case 0: return (struct call){SYS_clock_nanosleep, {CLOCK_MONOTONIC, TIMER_ABSTIME, where, mark, mark + 1, mark}};
    case 1: return (struct call){SYS_clock_nanosleep, {CLOCK_BOOTTIME, TIMER_ABSTIME, where, 0, mark + 1, mark + 2}};
    case 2: return (struct call){SYS_futex, {(long)&word, until, 0, where, mark, FUTEX_BITSET_MATCH_ANY}};
    case 3: return (struct call){SYS_nanosleep, {where, 0, mark, mark + 1, mark + 2, mark + 3}};
    case 4: return (struct call){SYS_poll, {0, 0, milliseconds, mark, mark + 1, mark + 2}};
    case 5: return (struct call){SYS_futex, {(long)&word, FUTEX_WAIT, 0, where, mark, mark + 1}};
    case 6: return (struct call){SYS_rt_sigtimedwait, {(long)set, 0, where, 8, mark, mark + 1}};
    case 7: return (struct call){SYS_pselect6, {0, 0, 0, 0, where, (long)pair}};
    default: return (struct call){SYS_epoll_pwait, {epoll, where, 1, milliseconds, (long)set, 8}};
  }
}

static void* wait_on_and_on(void* given) {
  const int kind = (int)(intptr_t)given;
  struct timespec time;
  sigset_t set;
  const struct { const void* set; size_t bytes; } pair = {&set, 8};
  sigemptyset(&set), sigaddset(&set, SIGUSR1);
  while (!__atomic_load_n(&stopped, __ATOMIC_SEQ_CST)) {
    long result = 0, wanted = 0;
    const struct call c = wait_of(kind, &time, &set, &pair, &wanted);
    const double begin = now();
    const int kept = holds(&c, &result);
    const double took = now() - begin;
    CHECK(kept, "kind %d", kind);
    CHECK(result == wanted, "kind %d: %ld", kind, result);
    CHECK(took > 0.9e-3 * milliseconds && took < 50, "kind %d: %g s", kind, took);
    count_one(&made[kind]);
  }
  return NULL;
}

static void call_all(void) {
  const long mark = 0x7171717171;
  const struct timespec past = {1, 0};
  sigset_t set;
  long result = 0;
  sigemptyset(&set);
  const struct call calls[] = {
    {SYS_kill, {getpid(), 0, mark, mark, mark, mark}},
    {SYS_tgkill, {getpid(), gettid(), 0, mark, mark, mark}},
    {SYS_tkill, {gettid(), 0, mark, mark, mark, mark}},
    {SYS_getpriority, {0, gettid(), mark, mark, mark, mark}},
    {SYS_clock_nanosleep, {CLOCK_MONOTONIC, TIMER_ABSTIME, (long)&past, mark, mark, mark}},
    {SYS_clock_nanosleep, {CLOCK_REALTIME, TIMER_ABSTIME, (long)&past, mark, mark, mark}},
    {SYS_ppoll, {0, 0, (long)&past, (long)&set, 8, mark}},
    {SYS_dup, {1, mark, mark, mark, mark, mark}},
    {SYS_rt_sigprocmask, {SIG_BLOCK, 0, (long)&set, 8, mark, mark}},
    {SYS_sched_yield, {mark, mark, mark, mark, mark, mark}},
  };
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    CHECK(holds(&calls[i], &result), "call %ld", calls[i].number);
    CHECK(result >= 0, "call %ld: %ld", calls[i].number, result);
    if (calls[i].number == SYS_dup) close((int)result);
  }
}

int main(int argc, char** argv) {
  pthread_t threads[kinds];
  begin(&argc, &argv);
  epoll = epoll_create1(0);
  for (intptr_t i = 0; i < kinds; ++i) CHECK(pthread_create(&threads[i], NULL, wait_on_and_on, (void*)i) == 0);
  for (int round = 0; round < 3; ++round) {
    call_all();
    if (round < 2) line();
    for (int i = 0; i < kinds; ++i) await_more(&made[i], 2);
  }
  __atomic_store_n(&stopped, 1, __ATOMIC_SEQ_CST);
  for (int i = 0; i < kinds; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  return finish();
}
