// A handler of SIGCHLD that waits for children; then SA_NOCLDWAIT, after which there is nothing to wait for.
#include "fidelity.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>

static volatile int ended, strange;
static void handler(int signal, siginfo_t* info, void* context) {
  const int before = errno;
  int status;
  (void)signal, (void)context;
  if (info->si_code != CLD_EXITED) ++strange;
  while (waitpid(-1, &status, WNOHANG) > 0) {
    ++ended;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 9) ++strange;
  }
  errno = before;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART | SA_NOCLDSTOP};
  const struct timespec moment = {0, 10000000};
  action.sa_sigaction = handler;
  sigaction(SIGCHLD, &action, NULL);
  for (int round = 0; round < 2; ++round) {
    line();
    if (fork() == 0) _exit(9);
    for (int wait = 0; wait < 6000 && ended <= round; ++wait) nanosleep(&moment, NULL);
    CHECK(ended == round + 1 && strange == 0, "%d %d", ended, strange);
  }
  action.sa_flags = SA_NOCLDWAIT, action.sa_handler = SIG_DFL;
  sigaction(SIGCHLD, &action, NULL);
  if (fork() == 0) _exit(9);
  CHECK(wait(NULL) == -1 && errno == ECHILD);
  return finish();
}
