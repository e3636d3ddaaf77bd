// Timers that differ: rank 0 has a periodic one whose signals a handler counts, rank 1 one with a descriptor, far off.
// ranks: 2
#include "pair.h"

#include <signal.h>
#include <sys/time.h>
#include <sys/timerfd.h>

static volatile int ticks;
static void tick(int signal) { (void)signal, ++ticks; }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_handler = tick, .sa_flags = SA_RESTART};
  const struct itimerval each = {{0, 5000}, {0, 5000}};
  const struct itimerspec far_off = {{0, 0}, {1000, 0}};
  int fd = -1;
  sigaction(SIGALRM, &action, NULL);
  if (me == 0) OK(setitimer(ITIMER_REAL, &each, NULL));
  else OK(fd = timerfd_create(CLOCK_MONOTONIC, 0)), OK(timerfd_settime(fd, 0, &far_off, NULL));
  for (int round = 0; round < 2; ++round) {
    line();
    const int before = ticks;
    for (int tries = 0; me == 0 && tries < 12000 && ticks < before + 3; ++tries) usleep(5000);
    if (me == 0) CHECK(ticks >= before + 3, "%d", ticks - before);
    struct itimerval found;
    CHECK(getitimer(ITIMER_REAL, &found) == 0 && found.it_interval.tv_usec == (me == 0 ? 5000 : 0), "%ld",
          found.it_interval.tv_usec);
    struct itimerspec left;
    if (me == 1) CHECK(ticks == 0), CHECK(timerfd_gettime(fd, &left) == 0 && left.it_value.tv_sec > 900, "%ld",
                                          left.it_value.tv_sec);
  }
  const struct itimerval none = {{0, 0}, {0, 0}};
  OK(setitimer(ITIMER_REAL, &none, NULL));
  return finish();
}
