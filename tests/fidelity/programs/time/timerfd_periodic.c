// A periodic timer that has run out and was not read: it continues when it is.
#include "fidelity.h"

#include <poll.h>
#include <sys/timerfd.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  const struct itimerspec often = {{0, 20000000}, {0, 20000000}};
  struct pollfd ready = {fd, POLLIN, 0};
  OK(timerfd_settime(fd, 0, &often, NULL));
  for (int times = 0; times < 2; ++times) {
    CHECK(poll(&ready, 1, 2000) == 1);
    line();
    uint64_t ticks = 0;
    CHECK(read(fd, &ticks, sizeof ticks) == sizeof ticks && ticks >= 1, "%s", strerror(errno));
    CHECK(poll(&ready, 1, 2000) == 1);
    CHECK(read(fd, &ticks, sizeof ticks) == sizeof ticks && ticks >= 1, "%s", strerror(errno));
    struct itimerspec now;
    OK(timerfd_gettime(fd, &now));
    CHECK(now.it_interval.tv_nsec == 20000000);
  }
  return finish();
}
