// Sets of watched descriptors: level, edge, once only, nested. The data given with each is returned.
#include "place.h"

#include <sys/epoll.h>

static void watch(int set, int fd, uint32_t events, uint64_t data) {
  struct epoll_event e = {.events = events, .data.u64 = data};
  OK(epoll_ctl(set, EPOLL_CTL_ADD, fd, &e));
}
/// Data of the one event that there is; 0: none; 1: more than one.
static uint64_t event(int set) {
  struct epoll_event e[4];
  const int n = epoll_wait(set, e, 4, 0);
  return n == 1 ? e[0].data.u64 : (uint64_t)(n != 0);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int level[2], edge[2], once[2], below[2];
  OK(pipe(level)), OK(pipe(edge)), OK(pipe(once)), OK(pipe(below));
  const int of_level = epoll_create1(EPOLL_CLOEXEC), of_edge = epoll_create1(0), of_once = epoll_create1(0);
  const int inner = epoll_create1(0), outer = epoll_create1(0);
  watch(of_level, level[0], EPOLLIN, 0xfedcba9876543210u);
  watch(of_edge, edge[0], EPOLLIN | EPOLLET, 22);
  watch(of_once, once[0], EPOLLIN | EPOLLONESHOT, 33);
  watch(inner, below[0], EPOLLIN, 44);
  watch(outer, inner, EPOLLIN, 55);
  CHECK(writes(level[1], "x") && writes(once[1], "x") && writes(edge[1], "x"));
  CHECK(event(of_edge) == 22 && event(of_once) == 33);
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(event(of_level) == 0xfedcba9876543210u && event(of_level) == 0xfedcba9876543210u);
    CHECK(event(of_once) == 0, "%lu", event(of_once));        // it was told once
    struct epoll_event again = {.events = EPOLLIN | EPOLLONESHOT, .data.u64 = 33};
    OK(epoll_ctl(of_once, EPOLL_CTL_MOD, once[0], &again));
    CHECK(event(of_once) == 33 && event(of_once) == 0);
    event(of_edge);                                           // once more is allowed
    CHECK(event(of_edge) == 0);
    CHECK(writes(edge[1], "x") && event(of_edge) == 22 && event(of_edge) == 0);
    CHECK(event(outer) == 0 && writes(below[1], "x") && event(outer) == 55 && event(inner) == 44);
    CHECK(reads(below[0], "x"));
    CHECK(fcntl(of_level, F_GETFD) == FD_CLOEXEC);
  }
  return finish();
}
