// A program that has its own system calls sent to a handler of its own (PR_SET_SYSCALL_USER_DISPATCH).
#include "fidelity.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif

static volatile char dispatches;
static volatile int calls;
static void handler(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info;
  dispatches = 0, ++calls;
  ((ucontext_t*)context)->uc_mcontext.gregs[REG_RAX] = 4711;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct sigaction action = {.sa_flags = SA_SIGINFO};
  action.sa_sigaction = handler;
  sigaction(SIGSYS, &action, NULL);
  CHECK(prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &dispatches) == 0, "%s", strerror(errno));
  for (int round = 0; round < 2; ++round) {
    line();
    dispatches = 1;
    const long result = syscall(SYS_getuid);
    dispatches = 0;
    CHECK(result == 4711 && calls == round + 1, "%ld %d", result, calls);
  }
  return finish();
}
