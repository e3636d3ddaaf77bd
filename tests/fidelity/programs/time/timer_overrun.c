// Overruns of a timer whose signal is blocked for longer than its interval, and a one-shot timer that fired meanwhile.
#include "fidelity.h"

#include <signal.h>
#include <time.h>

int main(int argc, char** argv) {
  sigset_t blocked;
  sigemptyset(&blocked), sigaddset(&blocked, SIGRTMIN + 6), sigaddset(&blocked, SIGRTMIN + 7);
  sigprocmask(SIG_BLOCK, &blocked, NULL);       // in the threads that MPI makes too
  begin(&argc, &argv);
  struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 6};
  const struct itimerspec often = {{0, 1000000}, {0, 1000000}}, once = {{0, 0}, {0, 1000000}};
  const struct timespec moment = {0, 50000000}, patience = {60, 0};
  timer_t timer, single;
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  event.sigev_signo = SIGRTMIN + 7;
  OK(timer_create(CLOCK_MONOTONIC, &event, &single));
  OK(timer_settime(timer, 0, &often, NULL));
  for (int round = 0; round < 2; ++round) {
    sigset_t one;
    OK(timer_settime(single, 0, &once, NULL));
    nanosleep(&moment, NULL);
    line();
    nanosleep(&moment, NULL);
    sigemptyset(&one), sigaddset(&one, SIGRTMIN + 6);
    CHECK(sigtimedwait(&one, NULL, &patience) == SIGRTMIN + 6, "%s", strerror(errno));
    CHECK(timer_getoverrun(timer) >= 10, "%d", timer_getoverrun(timer));
    sigemptyset(&one), sigaddset(&one, SIGRTMIN + 7);
    CHECK(sigtimedwait(&one, NULL, &patience) == SIGRTMIN + 7, "of one shot: %s", strerror(errno));
  }
  OK(timer_delete(timer));
  return finish();
}
