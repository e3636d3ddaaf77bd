// The main thread of rank 1 is in sigsuspend, sigtimedwait and pause, which an alarm ends, while rank 0 asks for the
// checkpoint.
// ranks: 2
#include "../pair.h"

#include <signal.h>
#include <sys/time.h>
#include <time.h>

static volatile int calls;
static void handler(int signal) { (void)signal, ++calls; }
static void in_some_time(void) {
  const struct itimerval some = {{0, 0}, {0, 120000}};
  OK(setitimer(ITIMER_REAL, &some, NULL));
}
static void suspends(void) {
  sigset_t none, alarms;
  const struct timespec long_time = {20, 0};
  sigemptyset(&none), sigemptyset(&alarms), sigaddset(&alarms, SIGALRM);
  const int before = calls;
  in_some_time();
  CHECK(sigsuspend(&none) == -1 && errno == EINTR && calls == before + 1, "%d", calls - before);
  in_some_time();
  CHECK(sigtimedwait(&alarms, NULL, &long_time) == SIGALRM && calls == before + 1, "%s", strerror(errno));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_handler = handler};
  sigset_t mask;
  sigaction(SIGALRM, &action, NULL);
  sigemptyset(&mask), sigaddset(&mask, SIGALRM);
  sigprocmask(SIG_BLOCK, &mask, NULL);
  for (int round = 0; round < 2; ++round) {
    line_while(me == 1 ? suspends : NULL);
    CHECK(calls == (me == 1 ? round + 1 : 0));
    together();
  }
  return finish();
}
