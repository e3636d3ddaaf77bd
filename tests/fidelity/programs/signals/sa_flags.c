// The effects of sigaction's flags: nested with SA_NODEFER, once with SA_RESETHAND, the signals blocked meanwhile, the
// value sent.
#include "fidelity.h"

#include <signal.h>

static volatile int depth, deepest, order[8], orders, value, code;

static void nests(int signal) {
  if (++depth > deepest) deepest = depth;
  if (depth < 3) raise(signal);
  --depth;
}
static void first(int signal) {
  (void)signal;
  raise(SIGUSR2);            // blocked by sa_mask: comes after
  order[orders++] = 1;
}
static void second(int signal) { (void)signal, order[orders++] = 2; }
static void informed(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  value = info->si_value.sival_int, code = info->si_code;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct sigaction action = {.sa_handler = nests, .sa_flags = SA_NODEFER};
  sigaction(SIGALRM, &action, NULL);
  action.sa_flags = 0;
  sigaction(SIGVTALRM, &action, NULL);
  action.sa_handler = second;
  sigaction(SIGUSR2, &action, NULL);
  action.sa_flags = (int)SA_RESETHAND;
  sigaction(SIGURG, &action, NULL);
  action.sa_flags = 0, action.sa_handler = first;
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(SIGUSR1, &action, NULL);
  action.sa_sigaction = informed, action.sa_flags = SA_SIGINFO;
  sigaction(SIGRTMIN + 2, &action, NULL);
  for (int round = 0; round < 2; ++round) {
    line();
    deepest = 0, raise(SIGALRM);
    CHECK(deepest == 3, "%d", deepest);
    orders = 0, raise(SIGUSR1);
    CHECK(orders == 2 && order[0] == 1 && order[1] == 2, "%d %d %d", orders, order[0], order[1]);
    const union sigval sent = {.sival_int = 42 + round};
    OK(sigqueue(getpid(), SIGRTMIN + 2, sent));
    CHECK(value == 42 + round && code == SI_QUEUE, "%d %d", value, code);
    orders = 0, raise(SIGURG), raise(SIGURG);
    CHECK(orders == (round == 0), "%d", orders);       // then the default, which does nothing
  }
  deepest = 0, depth = 2, raise(SIGVTALRM);
  CHECK(deepest == 3);
  return finish();
}
