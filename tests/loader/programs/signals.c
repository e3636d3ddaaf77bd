/* Signal handlers, masks, alternate stacks, waits for signals, and timers. */
#define _GNU_SOURCE
#include "check.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static __thread int own = 17;
static volatile sig_atomic_t hits, last, code, value, on_other_stack, nested, most_nested;
static void* volatile fault;
static char other_stack[64 << 10];
static sigjmp_buf back;

static void install(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action, before;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  sigemptyset(&action.sa_mask);
  CHECK(sigaction(signal, &action, NULL) == 0);
  CHECK(sigaction(signal, NULL, &before) == 0);
  CHECK(before.sa_sigaction == handler && (before.sa_flags & ~0x04000000) == (SA_SIGINFO | flags));
}

static void note(int signal, siginfo_t* info, void* context) {
  char here;
  CHECK(own == 17 && context != NULL && info->si_signo == signal);
  on_other_stack = &here >= other_stack && &here < other_stack + sizeof other_stack;
  last = signal;
  code = info->si_code;
  value = info->si_value.sival_int;
  ++hits;
}

static void simple(void) {
  install(SIGUSR1, note, 0);
  CHECK(raise(SIGUSR1) == 0 && hits == 1 && last == SIGUSR1 && code == SI_TKILL && !on_other_stack);
  CHECK(kill(getpid(), SIGUSR1) == 0 && hits == 2 && code == SI_USER);
  const union sigval word = {.sival_int = 4711};
  install(SIGRTMIN + 3, note, 0);
  CHECK(sigqueue(getpid(), SIGRTMIN + 3, word) == 0 && value == 4711 && code == SI_QUEUE);
  CHECK(signal(SIGUSR1, SIG_IGN) != SIG_ERR && raise(SIGUSR1) == 0 && hits == 3);
  CHECK(signal(SIGUSR1, SIG_DFL) == SIG_IGN);
  install(SIGUSR1, note, (int)SA_RESETHAND);
  struct sigaction after;
  CHECK(raise(SIGUSR1) == 0 && hits == 4);
  CHECK(sigaction(SIGUSR1, NULL, &after) == 0 && after.sa_handler == SIG_DFL);
  struct sigaction bad = {.sa_handler = SIG_IGN};
  CHECK(sigaction(SIGKILL, &bad, NULL) == -1 && errno == EINVAL && sigaction(0, &bad, NULL) == -1);
}

static void masks(void) {
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR2);
  install(SIGUSR2, note, 0);
  hits = 0;
  CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0 && raise(SIGUSR2) == 0 && hits == 0);
  CHECK(sigpending(&old) == 0 && sigismember(&old, SIGUSR2) && !sigismember(&old, SIGUSR1));
  CHECK(sigprocmask(SIG_SETMASK, NULL, &old) == 0 && sigismember(&old, SIGUSR2));
  CHECK(sigprocmask(SIG_UNBLOCK, &set, &old) == 0 && hits == 1 && sigismember(&old, SIGUSR2));
  CHECK(sigprocmask(99, &set, NULL) == -1 && errno == EINVAL);
  sigfillset(&set);
  CHECK(sigprocmask(SIG_SETMASK, &set, &old) == 0 && raise(SIGUSR2) == 0 && getpid() > 0 && hits == 1);
  sigset_t all_but;
  sigfillset(&all_but);
  sigdelset(&all_but, SIGUSR2);
  CHECK(sigsuspend(&all_but) == -1 && errno == EINTR && hits == 2);
  CHECK(raise(SIGUSR2) == 0 && ppoll(NULL, 0, NULL, &all_but) == -1 && errno == EINTR && hits == 3);
  CHECK(raise(SIGUSR2) == 0 && pselect(0, NULL, NULL, NULL, NULL, &all_but) == -1 && errno == EINTR && hits == 4);
  const struct timespec now = {0, 1000};
  siginfo_t info;
  CHECK(raise(SIGUSR2) == 0 && sigwaitinfo(&set, &info) == SIGUSR2 && info.si_signo == SIGUSR2 && hits == 4);
  CHECK(sigtimedwait(&set, &info, &now) == -1 && errno == EAGAIN);
  int got = 0;
  CHECK(raise(SIGUSR2) == 0 && sigwait(&set, &got) == 0 && got == SIGUSR2);
  const int fd = signalfd(-1, &set, SFD_CLOEXEC);
  struct signalfd_siginfo row;
  CHECK(raise(SIGUSR2) == 0 && read(fd, &row, sizeof row) == sizeof row && row.ssi_signo == SIGUSR2 && close(fd) == 0);
  CHECK(sigprocmask(SIG_SETMASK, &old, NULL) == 0 && hits == 4);
}

static void nests(int signal, siginfo_t* info, void* context) {
  (void)info;
  (void)context;
  if (++nested > most_nested) most_nested = nested;
  if (nested < 4) raise(signal);
  --nested;
}

static void alternate_stack(void) {
  const stack_t none = {.ss_flags = SS_DISABLE};
  const stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof other_stack};
  stack_t now;
  CHECK(sigaltstack(&stack, NULL) == 0 && sigaltstack(NULL, &now) == 0);
  CHECK(now.ss_sp == other_stack && now.ss_size == sizeof other_stack && now.ss_flags == 0);
  install(SIGUSR1, note, SA_ONSTACK);
  CHECK(raise(SIGUSR1) == 0 && on_other_stack);
  install(SIGUSR1, nests, SA_NODEFER | SA_ONSTACK);
  CHECK(raise(SIGUSR1) == 0 && most_nested == 4 && nested == 0);
  CHECK(sigaltstack(NULL, &now) == 0 && now.ss_sp == other_stack && now.ss_flags == 0);
  CHECK(sigaltstack(&none, NULL) == 0 && sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE);
  CHECK(sigaltstack(&stack, NULL) == 0);
}

static void on_fault(int signal, siginfo_t* info, void* context) {
  (void)context;
  fault = info->si_addr;
  last = signal;
  siglongjmp(back, 1);
}
static int recurses(volatile char* from) {
  volatile char here[4096];
  here[0] = *from;
  return here[0] == 0 ? 0 : recurses(here) + here[0];
}

static void faults(void) {
  install(SIGSEGV, on_fault, SA_ONSTACK);
  install(SIGFPE, on_fault, 0);
  install(SIGILL, on_fault, 0);
  char* const page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 3; ++i) {
    if (sigsetjmp(back, 1) == 0) page[100 + i] = 1;
    CHECK(last == SIGSEGV && fault == page + 100 + i);
  }
  volatile int zero = 0;
  if (sigsetjmp(back, 1) == 0) zero = 1 / zero;
  CHECK(last == SIGFPE);
  if (sigsetjmp(back, 1) == 0) __asm__ volatile("ud2");
  CHECK(last == SIGILL);
  last = 0;
  char start = 1;
  if (sigsetjmp(back, 1) == 0) zero = recurses(&start);   /* off the end of the stack */
  CHECK(last == SIGSEGV);
}

static int ends[2];
static void on_alarm_write(int signal, siginfo_t* info, void* context) {
  note(signal, info, context);
  if (hits == 3) CHECK(write(ends[1], "x", 1) == 1);
}

static void interrupted_calls(void) {
  const struct itimerval often = {{0, 5000}, {0, 5000}}, never = {{0, 0}, {0, 0}};
  char byte;
  CHECK(pipe(ends) == 0);
  hits = 0;
  install(SIGALRM, on_alarm_write, SA_RESTART);
  CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
  CHECK(read(ends[0], &byte, 1) == 1 && hits >= 3);      /* made again until the third signal wrote */
  struct pollfd nothing = {ends[0], POLLIN, 0};
  CHECK(poll(&nothing, 1, -1) == -1 && errno == EINTR);  /* never made again */
  install(SIGALRM, note, 0);
  CHECK(read(ends[0], &byte, 1) == -1 && errno == EINTR);
  CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0 && close(ends[0]) == 0 && close(ends[1]) == 0);
}

static void timers(void) {
  hits = 0;
  timer_t timer;
  struct sigevent event;
  memset(&event, 0, sizeof event);
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGRTMIN + 4;
  event.sigev_value.sival_int = 99;
  install(SIGRTMIN + 4, note, SA_RESTART);
  CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
  const struct itimerspec soon = {{0, 1000000}, {0, 1000000}};
  CHECK(timer_settime(timer, 0, &soon, NULL) == 0);
  while (hits < 20) (void)getppid();                     /* arrives anywhere, also inside traps and vDSO */
  while (hits < 40) { struct timespec now; clock_gettime(CLOCK_MONOTONIC, &now); }
  while (hits < 60) free(malloc(300 << 10));
  CHECK(timer_delete(timer) == 0 && value == 99 && code == SI_TIMER);
}

static volatile int many;
static void on_many(int signal) { (void)signal; CHECK(own == 17 || own == 18); many = many + 1; }
static void* sends(void* argument) {
  own = 18;
  for (int i = 0; i < 3000; ++i) pthread_kill(*(pthread_t*)argument, SIGUSR2);
  return NULL;
}

/* Signals from another thread while this one maps memory, creates threads and asks the clock. */
static void storm(void) {
  signal(SIGUSR2, on_many);
  pthread_t self = pthread_self(), other;
  CHECK(pthread_create(&other, NULL, sends, &self) == 0);
  int status = 0;
  for (int i = 0; i < 300; ++i) {
    void* const p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memset(p, i, 8192);
    munmap(p, 8192);
    if (i % 100 == 0) {
      const pid_t child = fork();
      if (child == 0) _exit(5);
      while (waitpid(child, &status, 0) == -1 && errno == EINTR) {}
      CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 5);
    }
  }
  pthread_join(other, NULL);
  CHECK(many > 0);
}

int main(void) {
  simple();
  masks();
  alternate_stack();
  faults();
  interrupted_calls();
  timers();
  storm();
  puts("signals arrive");
}
