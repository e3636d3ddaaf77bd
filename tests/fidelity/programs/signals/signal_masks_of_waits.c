// INV-14: Waits with a mask of all signals but one, whose handler makes calls of the system: sigsuspend, ppoll, pselect, epoll_pwait,
// io_pgetevents, io_uring_enter. And a handler that changes the mask to which it returns.
#include "fidelity.h"

#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/io_uring.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <ucontext.h>

static volatile int calls;
static int changes_mask;
static uint64_t all_but_alarm = ~(1ull << (SIGALRM - 1)), every = ~0ull;

static void make_calls(void) {
  const int fd = open("/dev/null", O_RDONLY);
  if (fd >= 0 && close(fd) == 0) ++calls;
}
static void on_alarm(int number, siginfo_t* info, void* context) {
  (void)number, (void)info;
  make_calls();
  if (changes_mask) memcpy(&((ucontext_t*)context)->uc_sigmask, &every, sizeof every);
}

static void alarm_soon(void) {
  timer_t timer;
  static int made;
  static timer_t kept;
  const struct itimerspec soon = {{0, 0}, {0, 20000000}};
  if (!made) {
    OK(timer_create(CLOCK_MONOTONIC, NULL, &timer));
    kept = timer, made = 1;
  }
  OK(timer_settime(kept, 0, &soon, NULL));
}

/// Of the calls of syscall(): masks that libc's functions would change.
static void wait_by(const char* how, long result, int at_least) {
  CHECK(result < 0 && errno == EINTR, "%s: %ld %s", how, result, strerror(errno));
  CHECK(calls == at_least, "%s: %d", how, calls);
}

/// Last of all: the kernel's work for a ring that was closed interrupts later calls of epoll_pwait, natively in four of ten.
static void wait_in_ring(void) {
  static char memory[2][4096] __attribute__((aligned(4096)));
  struct io_uring_params params = {.flags = 1u << 14};      // IORING_SETUP_NO_MMAP: newer kernels map none under mana
  params.cq_off.resv2 = (uintptr_t)memory[0], params.sq_off.resv2 = (uintptr_t)memory[1];
  int ring = (int)syscall(SYS_io_uring_setup, 4, &params);
  params = (struct io_uring_params){0};
  if (ring < 0) ring = (int)syscall(SYS_io_uring_setup, 4, &params);
  if (ring < 0) return;                             // not on this machine
  struct io_uring_getevents_arg argument = {(uintptr_t)&all_but_alarm, 8, 0, 0};
  calls = 0, alarm_soon();
  wait_by("io_uring_enter", syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS, &all_but_alarm, 8ul), 1);
  calls = 0, alarm_soon();
  wait_by("io_uring_enter, extended",
          syscall(SYS_io_uring_enter, ring, 0, 1, IORING_ENTER_GETEVENTS | IORING_ENTER_EXT_ARG, &argument, sizeof argument), 1);
  close(ring);
}

static void wait_in_all_ways(void) {
  struct { uint64_t* mask; size_t bytes; } pair = {&all_but_alarm, 8};
  struct epoll_event event;
  const int set = epoll_create1(0);
  aio_context_t context = 0;
  calls = 0, alarm_soon();
  wait_by("sigsuspend", syscall(SYS_rt_sigsuspend, &all_but_alarm, 8ul), 1);
  calls = 0, alarm_soon();
  wait_by("ppoll", syscall(SYS_ppoll, NULL, 0, NULL, &all_but_alarm, 8ul), 1);
  calls = 0, alarm_soon();
  wait_by("pselect", syscall(SYS_pselect6, 0, NULL, NULL, NULL, NULL, &pair), 1);
  calls = 0, alarm_soon();
  wait_by("epoll_pwait", syscall(SYS_epoll_pwait, set, &event, 1, -1, &all_but_alarm, 8ul), 1);
  if (syscall(SYS_io_setup, 4, &context) == 0) {
    struct io_event done;
    calls = 0, alarm_soon();
    wait_by("io_pgetevents", syscall(SYS_io_pgetevents, context, 1, 1, &done, NULL, &pair), 1);
    syscall(SYS_io_destroy, context);
  }
  close(set);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  uint64_t before, now;
  action.sa_sigaction = on_alarm;
  sigfillset(&action.sa_mask);
  sigaction(SIGALRM, &action, NULL);
  for (int round = 0; round < 2; ++round) {
    wait_in_all_ways();
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &every, &before, 8ul);
    make_calls();
    line();
    make_calls();
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, 8ul);
    changes_mask = 1, calls = 0;
    raise(SIGALRM);
    make_calls();
    CHECK(calls == 2, "%d", calls);
    changes_mask = 0;
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, &now, 8ul);
    CHECK((now >> (SIGSYS - 1) & 1) == 1 && (now >> (SIGUSR1 - 1) & 1) == 1, "%#lx", (unsigned long)now);
  }
  wait_in_ring();
  return finish();
}
