// Signal masks, handlers and pending signals that differ between the ranks.
// ranks: 2
#include "pair.h"

#include <signal.h>

static volatile int calls[2];
static void first(int signal) { (void)signal, ++calls[0]; }
static void second(int signal, siginfo_t* info, void* context) { (void)signal, (void)info, (void)context, ++calls[1]; }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int mine = me == 0 ? SIGUSR1 : SIGUSR2, others = me == 0 ? SIGUSR2 : SIGUSR1;
  struct sigaction action = {.sa_flags = 0};
  if (me == 0) action.sa_handler = first;
  else action.sa_sigaction = second, action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(mine, &action, NULL);
  signal(others, SIG_IGN);
  sigset_t mask, now, pending;
  sigemptyset(&mask), sigaddset(&mask, mine);
  sigprocmask(SIG_BLOCK, &mask, NULL);
  for (int round = 0; round < 2; ++round) {
    raise(mine);
    line();
    raise(others);
    CHECK(calls[0] == (me == 0 ? round : 0) && calls[1] == (me == 1 ? round : 0), "%d %d", calls[0], calls[1]);
    sigprocmask(SIG_BLOCK, NULL, &now), sigpending(&pending);
    CHECK(sigismember(&now, mine) && !sigismember(&now, others));
    CHECK(sigismember(&pending, mine) && !sigismember(&pending, others));
    struct sigaction found;
    sigaction(mine, NULL, &found);
    CHECK(found.sa_flags == action.sa_flags || found.sa_flags == (action.sa_flags | 0x04000000), "%x",
          (unsigned)found.sa_flags);
    sigprocmask(SIG_UNBLOCK, &mask, NULL);
    CHECK(calls[me] == round + 1, "%d", calls[me]);
    sigprocmask(SIG_BLOCK, &mask, NULL);
  }
  return finish();
}
