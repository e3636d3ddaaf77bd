// Timers with a descriptor: far off, periodic, run out and not read, to a point in time, not set.
#include "fidelity.h"

#include <poll.h>
#include <sys/timerfd.h>
#include <time.h>

static int made(int clock, time_t first, long nanoseconds, time_t interval, int flags) {
  const int fd = timerfd_create(clock, TFD_NONBLOCK);
  const struct itimerspec when = {.it_value = {first, nanoseconds}, .it_interval = {interval, 0}};
  OK(timerfd_settime(fd, flags, &when, NULL));
  return fd;
}
static struct itimerspec left(int fd) {
  struct itimerspec now;
  OK(timerfd_gettime(fd, &now));
  return now;
}
static int ready(int fd, int milliseconds) { return poll(&(struct pollfd){fd, POLLIN, 0}, 1, milliseconds); }

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const int far = made(CLOCK_MONOTONIC, 1000, 0, 0, 0), periodic = made(CLOCK_MONOTONIC, 1000, 0, 7, 0);
  const int over = made(CLOCK_MONOTONIC, 0, 1, 0, 0), unset = timerfd_create(CLOCK_BOOTTIME, 0);
  const int date = made(CLOCK_REALTIME, now.tv_sec + 1000, 0, 0, TFD_TIMER_ABSTIME);
  CHECK(ready(over, 1000) == 1);
  line();
  uint64_t ticks = 0;
  CHECK(left(far).it_value.tv_sec > 900 && left(far).it_value.tv_sec < 1000, "%ld", left(far).it_value.tv_sec);
  CHECK(left(periodic).it_interval.tv_sec == 7 && left(periodic).it_value.tv_sec > 900);
  CHECK(read(over, &ticks, sizeof ticks) == sizeof ticks && ticks == 1, "%lu: %s", ticks, strerror(errno));
  CHECK(read(over, &ticks, sizeof ticks) == -1 && errno == EAGAIN);
  CHECK(left(unset).it_value.tv_sec == 0 && left(unset).it_value.tv_nsec == 0);
  CHECK(left(date).it_value.tv_sec > 900, "%ld", left(date).it_value.tv_sec);
  const struct itimerspec soon = {{0, 30000000}, {0, 10000000}};
  OK(timerfd_settime(periodic, 0, &soon, NULL));
  CHECK(ready(periodic, 2000) == 1);
  line();
  CHECK(read(periodic, &ticks, sizeof ticks) == sizeof ticks && ticks >= 1, "%s", strerror(errno));
  CHECK(ready(periodic, 2000) == 1);
  CHECK(ready(far, 0) == 0 && ready(date, 0) == 0 && ready(over, 0) == 0);
  return finish();
}
