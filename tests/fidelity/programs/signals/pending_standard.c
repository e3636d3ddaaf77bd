// Blocked signals that were sent before a line: still pending after it, and delivered when no longer blocked.
#include "fidelity.h"

#include <signal.h>

static volatile int calls[NSIG];
static void handler(int signal) { ++calls[signal]; }

int main(int argc, char** argv) {
  const struct sigaction action = {.sa_handler = handler};
  sigset_t blocked, before, pending;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1), sigaddset(&blocked, SIGHUP), sigaddset(&blocked, SIGWINCH);
  sigaction(SIGUSR1, &action, NULL), sigaction(SIGHUP, &action, NULL), sigaction(SIGWINCH, &action, NULL);
  sigprocmask(SIG_BLOCK, &blocked, &before);       // in the threads that MPI makes too
  begin(&argc, &argv);
  for (int round = 0; round < 2; ++round) {
    raise(SIGUSR1), raise(SIGUSR1);
    kill(getpid(), SIGHUP);
    line();
    sigpending(&pending);
    CHECK(sigismember(&pending, SIGUSR1) == 1, "sent to the thread");
    CHECK(sigismember(&pending, SIGHUP) == 1, "sent to the process");
    CHECK(sigismember(&pending, SIGWINCH) == 0);
    CHECK(calls[SIGUSR1] == round && calls[SIGHUP] == round);
    sigprocmask(SIG_SETMASK, &before, NULL);
    CHECK(calls[SIGUSR1] == round + 1, "%d", calls[SIGUSR1]);
    CHECK(calls[SIGHUP] == round + 1, "%d", calls[SIGHUP]);
    calls[SIGUSR1] = calls[SIGHUP] = round + 1;
    sigprocmask(SIG_BLOCK, &blocked, NULL);
  }
  return finish();
}
