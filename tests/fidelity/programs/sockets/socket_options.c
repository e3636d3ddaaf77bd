// Settings of sockets: options of the socket, of TCP, IP and IPv6, limits of time, a packet filter, and whom they
// signal.
#include "place.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

static const struct {
  int six, type, level, name, value;
} numbers[] = {
    {0, SOCK_STREAM, SOL_SOCKET, SO_REUSEADDR, 1},
    {0, SOCK_STREAM, SOL_SOCKET, SO_KEEPALIVE, 1},
    {0, SOCK_STREAM, SOL_SOCKET, SO_OOBINLINE, 1},
    {0, SOCK_DGRAM, SOL_SOCKET, SO_BROADCAST, 1},
    {0, SOCK_DGRAM, SOL_SOCKET, SO_PRIORITY, 5},
    {0, SOCK_DGRAM, SOL_SOCKET, SO_RXQ_OVFL, 1},
    {0, SOCK_STREAM, SOL_SOCKET, SO_RCVLOWAT, 33},
    {0, SOCK_STREAM, SOL_SOCKET, SO_DONTROUTE, 1},
    {0, SOCK_STREAM, SOL_SOCKET, SO_RCVBUF, 20000},
    {0, SOCK_STREAM, SOL_SOCKET, SO_SNDBUF, 30000},
    {0, SOCK_STREAM, IPPROTO_TCP, TCP_NODELAY, 1},
    {0, SOCK_STREAM, IPPROTO_TCP, TCP_CORK, 1},
    {0, SOCK_STREAM, IPPROTO_TCP, TCP_KEEPIDLE, 100},
    {0, SOCK_STREAM, IPPROTO_TCP, TCP_KEEPINTVL, 30},
    {0, SOCK_STREAM, IPPROTO_TCP, TCP_KEEPCNT, 4},
    {0, SOCK_STREAM, IPPROTO_TCP, TCP_SYNCNT, 3},
    {0, SOCK_STREAM, IPPROTO_TCP, TCP_USER_TIMEOUT, 7000},
    {0, SOCK_STREAM, IPPROTO_TCP, TCP_LINGER2, 12},
    {0, SOCK_DGRAM, IPPROTO_IP, IP_TOS, 0x10},
    {0, SOCK_DGRAM, IPPROTO_IP, IP_TTL, 33},
    {0, SOCK_DGRAM, IPPROTO_IP, IP_PKTINFO, 1},
    {0, SOCK_DGRAM, IPPROTO_IP, IP_MTU_DISCOVER, IP_PMTUDISC_DO},
    {0, SOCK_DGRAM, IPPROTO_IP, IP_MULTICAST_TTL, 3},
    {0, SOCK_DGRAM, IPPROTO_IP, IP_FREEBIND, 1},
    {1, SOCK_DGRAM, IPPROTO_IPV6, IPV6_V6ONLY, 1},
    {1, SOCK_DGRAM, IPPROTO_IPV6, IPV6_UNICAST_HOPS, 44},
    {1, SOCK_DGRAM, IPPROTO_IPV6, IPV6_RECVPKTINFO, 1},
    {1, SOCK_STREAM, IPPROTO_IPV6, IPV6_TCLASS, 0x20},
};
#define COUNT (sizeof numbers / sizeof *numbers)

static int value_of(int fd, int level, int name) {
  int value = -1;
  socklen_t n = sizeof value;
  OK(getsockopt(fd, level, name, &value, &n));
  return value;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int fds[COUNT], values[COUNT], pair[2];
  for (size_t i = 0; i < COUNT; ++i) {
    fds[i] = socket(numbers[i].six ? AF_INET6 : AF_INET, numbers[i].type, 0);
    values[i] = -1;
    if (fds[i] < 0) continue;  // a machine without IPv6
    OK(setsockopt(fds[i], numbers[i].level, numbers[i].name, &numbers[i].value, sizeof(int)));
    values[i] = value_of(fds[i], numbers[i].level, numbers[i].name);
  }
  OK(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair));
  const struct linger linger = {1, 25};
  const struct timeval time = {0, 300000};
  OK(setsockopt(fds[0], SOL_SOCKET, SO_LINGER, &linger, sizeof linger));
  OK(setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time));
  CHECK(writes(pair[0], "let in"));
  struct sock_filter nothing[] = {{BPF_RET | BPF_K, 0, 0, 0}};
  const struct sock_fprog program = {1, nothing};
  OK(setsockopt(pair[1], SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program));
  OK(fcntl(pair[1], F_SETOWN, getpid())), OK(fcntl(pair[1], F_SETSIG, SIGUSR2)),
      OK(fcntl(pair[1], F_SETFL, O_NONBLOCK));
  const int both = socket(AF_INET, SOCK_DGRAM, 0), service = 0x10, priority = 3;      // of which the first sets the second too
  OK(setsockopt(both, IPPROTO_IP, IP_TOS, &service, sizeof service));
  OK(setsockopt(both, SOL_SOCKET, SO_PRIORITY, &priority, sizeof priority));
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(value_of(both, IPPROTO_IP, IP_TOS) == service && value_of(both, SOL_SOCKET, SO_PRIORITY) == priority);
    for (size_t i = 0; i < COUNT; ++i)
      if (fds[i] >= 0)
        CHECK(value_of(fds[i], numbers[i].level, numbers[i].name) == values[i], "%d of %d: %d", numbers[i].name,
              numbers[i].level, value_of(fds[i], numbers[i].level, numbers[i].name));
    struct linger now;
    socklen_t n = sizeof now;
    CHECK(getsockopt(fds[0], SOL_SOCKET, SO_LINGER, &now, &n) == 0 && now.l_onoff == 1 && now.l_linger == 25);
    char found[8];
    CHECK(read(pair[0], found, sizeof found) == -1 && errno == EAGAIN, "%s",
          strerror(errno));  // after a third of a second
    if (times == 0) CHECK(reads(pair[1], "let in"), "%s", strerror(errno));
    CHECK(send(pair[0], "x", 1, MSG_DONTWAIT) >= -1 && read(pair[1], found, sizeof found) == -1 && errno == EAGAIN);
    CHECK(fcntl(pair[1], F_GETOWN) == getpid() && fcntl(pair[1], F_GETSIG) == SIGUSR2);
  }
  return finish();
}
