// INV-71: Signals of every number, which the program sends itself: handled; ignored; and pending through a line, then
// taken by a handler or by sigtimedwait. Also the end of a child, and SIGSYS, by which the program's own filters report
// calls.
#include "fidelity.h"

#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <ucontext.h>

enum { last = 64, answer = 4711 };

/// One that stops takes back one that continues, and the other way round.
static int stops_or_continues(int number) { return number >= SIGCONT && number <= SIGTTOU; }
static int is_usable(int number) {
  return number != SIGKILL && !stops_or_continues(number) && (number < 32 || number >= SIGRTMIN);
}

static volatile int came[last + 1], value[last + 1], code[last + 1], descriptors;
static void on_signal(int number, siginfo_t* info, void* context) {
  (void)context;
  const int fd = open("/dev/null", O_RDONLY);                  // a call that is trapped
  if (fd >= 0 && close(fd) == 0) ++descriptors;
  ++came[number], value[number] = info->si_value.sival_int, code[number] = info->si_code;
}

static void handle_all(void) {
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = on_signal;
  sigfillset(&action.sa_mask);
  for (int number = 1; number <= last; ++number)
    if (is_usable(number)) OK(sigaction(number, &action, NULL));
}

static void send_all(void) {
  for (int number = 1; number <= last; ++number)
    if (is_usable(number)) CHECK(pthread_sigqueue(pthread_self(), number, (union sigval){.sival_int = 1000 + number}) == 0);
}

static void check_all(const char* when, int times) {
  for (int number = 1; number <= last; ++number) {
    if (!is_usable(number)) continue;
    CHECK(came[number] == times, "%s: signal %d came %d times", when, number, came[number]);
    if (times > 0) CHECK(value[number] == 1000 + number && code[number] == SI_QUEUE, "%s: signal %d", when, number);
    came[number] = value[number] = code[number] = 0;
  }
}

static void take_all(const sigset_t* all) {
  const struct timespec none = {0, 0};
  for (int number = 1; number <= last; ++number) {
    siginfo_t info;
    sigset_t one;
    sigemptyset(&one);
    sigaddset(&one, number);
    if (!is_usable(number) || !sigismember(all, number)) continue;
    CHECK(sigtimedwait(&one, &info, &none) == number, "signal %d: %s", number, strerror(errno));
    CHECK(info.si_value.sival_int == 1000 + number && info.si_code == SI_QUEUE, "signal %d", number);
  }
}

static void check_pending(int are) {
  sigset_t pending, blocked;
  sigpending(&pending);
  sigprocmask(SIG_BLOCK, NULL, &blocked);
  for (int number = 1; number <= last; ++number) {
    if (!is_usable(number)) continue;
    CHECK(sigismember(&pending, number) == are, "signal %d", number);
    CHECK(sigismember(&blocked, number) == 1, "signal %d", number);
  }
}

static void on_call(int number, siginfo_t* info, void* context) {
  if (info->si_code != 1 || info->si_errno != 77) return;       // SYS_SECCOMP, with the filter's data
  came[number] = info->si_syscall;
  ((ucontext_t*)context)->uc_mcontext.gregs[REG_RAX] = answer;
}

/// What its own filter says of getppid.        out: exit status
static int filters_own_call(void) {
  struct sock_filter code[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_getppid, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP | 77),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const struct sock_fprog filter = {sizeof code / sizeof *code, code};
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = on_call;
  sigaction(SIGSYS, &action, NULL);
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0) return 2;
  return getppid() == answer && came[SIGSYS] == SYS_getppid ? 0 : 1;
}

static int end_of(pid_t child) {
  int status = 0;
  CHECK(waitpid(child, &status, 0) == child);
  return status;
}

static void check_ends(void) {
  signal(SIGCHLD, SIG_DFL);
  for (int number = 1; number <= last; ++number) {
    if (!is_usable(number)) continue;
    const pid_t child = fork();
    if (child == 0) {
      sigset_t none;
      sigemptyset(&none);
      signal(number, SIG_IGN);
      raise(number);
      signal(number, SIG_DFL);
      sigprocmask(SIG_SETMASK, &none, NULL);
      kill(getpid(), number);
      _exit(33);
    }
    const int status = end_of(child);
    const int harmless = number == SIGCHLD || number == SIGURG || number == SIGWINCH;
    CHECK(harmless ? WIFEXITED(status) && WEXITSTATUS(status) == 33 : WIFSIGNALED(status) && WTERMSIG(status) == number,
          "signal %d: status %#x", number, status);
  }
  const pid_t child = fork();
  if (child == 0) _exit(filters_own_call());
  const int status = end_of(child);
  CHECK(status == 0, "its own filter: %#x", status);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  sigset_t all, before;
  sigfillset(&all);
  for (int round = 0; round < 2; ++round) {
    handle_all();
    descriptors = 0;
    send_all();
    check_all("handled", 1);
    CHECK(descriptors == 56, "%d", descriptors);
    sigprocmask(SIG_SETMASK, &all, &before);
    send_all();
    check_all("blocked", 0);
    check_pending(1);
    line();
    check_all("behind the line", 0);
    check_pending(1);
    if (round == 0) take_all(&all), check_pending(0);
    sigprocmask(SIG_SETMASK, &before, NULL);
    check_all("let through", round);
    check_ends();
  }
  return finish();
}
