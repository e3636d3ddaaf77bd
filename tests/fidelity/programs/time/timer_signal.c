// Timers of timer_create with signals and values: periodic, far off, absolute, disarmed, deleted, and one for a thread.
#include "fidelity.h"

#include <signal.h>
#include <time.h>

enum { timers = 5 };
static volatile int calls[timers], strange;
static void handler(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)context;
  if (info->si_value.sival_int < 0 || info->si_value.sival_int >= timers || info->si_code != SI_TIMER) ++strange;
  else ++calls[info->si_value.sival_int];
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
  action.sa_sigaction = handler;
  sigaction(SIGRTMIN + 1, &action, NULL);
  timer_t timer[timers];
  for (int which = 0; which < timers; ++which) {
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
    event.sigev_value.sival_int = which;
    if (which == 4) event.sigev_notify = SIGEV_THREAD_ID, event._sigev_un._tid = gettid();
    OK(timer_create(which == 1 ? CLOCK_REALTIME : CLOCK_MONOTONIC, &event, timer + which));
  }
  const struct itimerspec often = {{0, 10000000}, {0, 10000000}}, far = {{7, 0}, {1000, 0}}, none = {0};
  struct itimerspec left;
  timer_settime(timer[0], 0, &often, NULL);
  timer_settime(timer[1], 0, &far, NULL);
  timer_settime(timer[4], 0, &often, NULL);
  OK(timer_delete(timer[3]));
  const struct timespec moment = {0, 10000000};
  for (int round = 0; round < 2; ++round) {
    line();
    calls[0] = calls[4] = 0;
    for (int wait = 0; wait < 6000 && (calls[0] < 3 || calls[4] < 3); ++wait) nanosleep(&moment, NULL);
    CHECK(calls[0] >= 3 && calls[4] >= 3, "%d %d", calls[0], calls[4]);
    CHECK(timer_gettime(timer[1], &left) == 0 && left.it_interval.tv_sec == 7 && left.it_value.tv_sec > 900, "%ld",
          left.it_value.tv_sec);
    CHECK(timer_gettime(timer[2], &left) == 0 && left.it_value.tv_sec == 0 && left.it_value.tv_nsec == 0);
    CHECK(calls[2] == 0 && strange == 0);
  }
  for (int which = 0; which < timers; ++which)
    if (which != 3) CHECK(timer_settime(timer[which], 0, &none, NULL) == 0 && timer_delete(timer[which]) == 0, "%d", which);
  return finish();
}
