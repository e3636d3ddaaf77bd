// Rank 1 is in poll, select and epoll_wait with time limits while rank 0 asks for the checkpoint: none ends early, or
// by EINTR.
// ranks: 2
#include "pair.h"

#include <poll.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

static int ends[2], epoll;
static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}
static int round_now;
static void waits(void) {
  const double begun = seconds();
  struct pollfd of = {.fd = ends[0], .events = POLLIN};
  fd_set set;
  FD_ZERO(&set);
  FD_SET(ends[0], &set);
  struct timeval some = {0, 150000};
  struct epoll_event event;
  if (round_now == 0) CHECK(poll(&of, 1, 150) == 0, "%s", strerror(errno));
  else CHECK(select(ends[0] + 1, &set, NULL, NULL, &some) == 0, "%s", strerror(errno));
  CHECK(epoll_wait(epoll, &event, 1, 50) == 0, "%s", strerror(errno));
  CHECK(seconds() - begun > 0.19, "%f", seconds() - begun);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  struct epoll_event event = {.events = EPOLLIN};
  OK(pipe(ends)), OK(epoll = epoll_create1(0)), OK(epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event));
  for (round_now = 0; round_now < 2; ++round_now) {
    line_while(me == 1 ? waits : NULL);
    CHECK(write(ends[1], "x", 1) == 1 && epoll_wait(epoll, &event, 1, 1000) == 1);
    char byte;
    CHECK(read(ends[0], &byte, 1) == 1);
    together();
  }
  return finish();
}
