// A child of fork that gets a signal with the default action ends by it, also after lines, and also by a fault.
#include "fidelity.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>

static int ends_by(int how) {
  const pid_t child = fork();
  if (child == 0) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    if (how == SIGSEGV) *(volatile int*)(uintptr_t)8 = 1;
    else if (how == SIGABRT) abort();
    else raise(how);
    _exit(0);
  }
  int status = 0;
  return waitpid(child, &status, 0) == child && WIFSIGNALED(status) ? WTERMSIG(status) : -1;
}

int main(int argc, char** argv) {
  const int how[] = {SIGTERM, SIGSEGV, SIGABRT, SIGUSR1, SIGXCPU};
  begin(&argc, &argv);
  for (int row = 0; row < 5; ++row) signal(how[row], SIG_DFL);
  for (int round = 0; round < 3; ++round) {
    for (int row = 0; row < 5; ++row) CHECK(ends_by(how[row]) == how[row], "%d", how[row]);
    if (round < 2) line();
  }
  return finish();
}
