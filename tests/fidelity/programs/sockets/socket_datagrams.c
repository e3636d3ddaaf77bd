// Datagrams: UDP with unread messages and their senders, connected and shut down; a pair of which one end is shut down;
// and an epoll set over them.
#include "place.h"

#include <netinet/in.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>

static struct sockaddr_in name_of(int fd) {
  struct sockaddr_in name;
  socklen_t n = sizeof name;
  OK(getsockname(fd, (struct sockaddr*)&name, &n));
  return name;
}

static int bound(void) {
  const struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
  const int fd = socket(AF_INET, SOCK_DGRAM, 0);
  OK(bind(fd, (const struct sockaddr*)&here, sizeof here));
  return fd;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  signal(SIGPIPE, SIG_IGN);
  int pair[2];
  const int server = bound(), client = bound(), ended = bound(), set = epoll_create1(0);
  const struct sockaddr_in to = name_of(server);
  struct epoll_event event = {.events = EPOLLIN, .data.fd = server};
  OK(connect(client, (const struct sockaddr*)&to, sizeof to)),
      OK(connect(ended, (const struct sockaddr*)&to, sizeof to));
  OK(epoll_ctl(set, EPOLL_CTL_ADD, server, &event)), OK(shutdown(ended, SHUT_RDWR));
  OK(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair)), OK(shutdown(pair[0], SHUT_WR));
  for (int times = 0; times < 2; ++times) {
    const int passing = bound();
    CHECK(writes(client, "one") && sendto(passing, "three", 5, 0, (const struct sockaddr*)&to, sizeof to) == 5);
    const in_port_t port = name_of(passing).sin_port;
    OK(close(passing));
    line();
    struct sockaddr_in from;
    socklen_t n = sizeof from;
    char found[16];
    CHECK(epoll_wait(set, &event, 1, 2000) == 1 && event.data.fd == server);
    CHECK(recvfrom(server, found, sizeof found, MSG_DONTWAIT, (struct sockaddr*)&from, &n) == 3, "%s", strerror(errno));
    CHECK(from.sin_port == name_of(client).sin_port);
    CHECK(recvfrom(server, found, sizeof found, MSG_DONTWAIT, (struct sockaddr*)&from, &n) == 5, "%s", strerror(errno));
    CHECK(from.sin_port == port);
    CHECK(sendto(server, "back", 4, 0, (struct sockaddr*)&from, n) == 4);
    const struct sockaddr_in here = name_of(client);
    CHECK(sendto(server, "back", 4, 0, (const struct sockaddr*)&here, sizeof here) == 4 && reads(client, "back"), "%s",
          strerror(errno));
    CHECK(write(ended, "x", 1) == -1 && errno == EPIPE, "%s", strerror(errno));
    CHECK(write(pair[0], "x", 1) == -1 && errno == EPIPE, "%s", strerror(errno));
    CHECK(writes(pair[1], "back") && reads(pair[0], "back") && read(pair[1], found, 1) == -1 && errno == EAGAIN, "%s",
          strerror(errno));
  }
  return finish();
}
