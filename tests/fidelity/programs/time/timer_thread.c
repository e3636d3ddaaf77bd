// A timer whose expiries run a function on a thread of libc's (SIGEV_THREAD).
#include "fidelity.h"

#include <signal.h>
#include <time.h>

static volatile int calls, strange;
static void expired(union sigval value) {
  __atomic_add_fetch(&calls, 1, __ATOMIC_SEQ_CST);
  if (value.sival_int != 77) ++strange;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct sigevent event = {.sigev_notify = SIGEV_THREAD};
  event.sigev_notify_function = expired, event.sigev_value.sival_int = 77;
  const struct itimerspec often = {{0, 20000000}, {0, 20000000}};
  const struct timespec moment = {0, 20000000};
  timer_t timer;
  OK(timer_create(CLOCK_MONOTONIC, &event, &timer));
  OK(timer_settime(timer, 0, &often, NULL));
  for (int round = 0; round < 2; ++round) {
    line();
    calls = 0;
    for (int wait = 0; wait < 3000 && calls < 3; ++wait) nanosleep(&moment, NULL);
    CHECK(calls >= 3, "%d", calls);
    CHECK(strange == 0);
  }
  CHECK(timer_delete(timer) == 0);
  return finish();
}
