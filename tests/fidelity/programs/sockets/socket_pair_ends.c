// Socket pairs with ends that are closed, shut down or duplicated, packets of no length, and their settings.
#include "place.h"

#include <signal.h>
#include <sys/socket.h>

static int option(int fd, int name) {
  int value = -1;
  socklen_t n = sizeof value;
  OK(getsockopt(fd, SOL_SOCKET, name, &value, &n));
  return value;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  signal(SIGPIPE, SIG_IGN);
  int left[2], half[2], datagrams[2], large[2];
  char found[16];
  OK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, left));
  OK(socketpair(AF_UNIX, SOCK_STREAM, 0, half));
  OK(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, datagrams));
  OK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, large));
  CHECK(writes(left[1], "one two ")), OK(close(left[1]));
  CHECK(writes(half[0], "three four ")), OK(shutdown(half[0], SHUT_WR));
  const int twin = dup(half[0]), bytes = 50000;
  OK(setsockopt(large[0], SOL_SOCKET, SO_SNDBUF, &bytes, sizeof bytes));
  const int room = option(large[0], SO_SNDBUF);
  ssize_t sent = 0;
  for (ssize_t n; (n = write(large[0], place, sizeof place)) > 0;) sent += n;
  for (int times = 0; times < 2; ++times) {
    OK(send(datagrams[0], "", 0, 0)), OK(send(datagrams[0], "some", 4, 0));
    line();
    CHECK(reads(left[0], times == 0 ? "one " : "two "), "%s", strerror(errno));
    CHECK(reads(half[1], times == 0 ? "three " : "four "), "%s", strerror(errno));
    CHECK(write(half[0], "x", 1) == -1 && errno == EPIPE, "%s", strerror(errno));
    CHECK(writes(half[1], "back") && reads(twin, "back"), "%s", strerror(errno));
    CHECK(recv(datagrams[1], found, sizeof found, 0) == 0, "%s", strerror(errno));
    CHECK(recv(datagrams[1], found, sizeof found, 0) == 4, "%s", strerror(errno));
    CHECK(recv(datagrams[1], found, sizeof found, 0) == -1 && errno == EAGAIN);
    CHECK(option(large[0], SO_SNDBUF) == room, "%d", option(large[0], SO_SNDBUF));
    CHECK(fcntl(left[0], F_GETFD) == FD_CLOEXEC && fcntl(half[0], F_GETFD) == 0);
  }
  CHECK(read(left[0], found, 1) == 0 && read(half[1], found, 1) == 0);
  static char all[1 << 20];
  ssize_t got = 0;
  for (ssize_t n; (n = read(large[1], all, sizeof all)) > 0;) got += n;
  CHECK(got == sent, "%ld of %ld", got, sent);
  return finish();
}
