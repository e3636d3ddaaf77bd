// A set that watches a descriptor whose number now belongs to another file, while its duplicate lives on; and two sets
// of a file.
#include "place.h"

#include <sys/epoll.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int ends[2], others[2];
  OK(pipe(ends)), OK(pipe(others));
  const int set = epoll_create1(0), twin = dup(set), second = epoll_create1(0), kept = dup(ends[0]);
  struct epoll_event e = {.events = EPOLLIN, .data.u64 = 7};
  OK(epoll_ctl(set, EPOLL_CTL_ADD, ends[0], &e));
  e.data.u64 = 8;
  OK(epoll_ctl(second, EPOLL_CTL_ADD, kept, &e));
  OK(dup2(others[0], ends[0]));                   // the set goes on to watch the open file of `kept`
  close(set);
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(writes(others[1], "other"));
    CHECK(epoll_wait(twin, &e, 1, 0) == 0, "data %lu", e.data.u64);
    CHECK(writes(ends[1], "x"));
    CHECK(epoll_wait(twin, &e, 1, 0) == 1 && e.data.u64 == 7, "%lu", e.data.u64);
    CHECK(epoll_wait(second, &e, 1, 0) == 1 && e.data.u64 == 8, "%lu", e.data.u64);
    CHECK(reads(kept, "x") && reads(others[0], "other"));
  }
  return finish();
}
