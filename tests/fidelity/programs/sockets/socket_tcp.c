// TCP within the process: bytes under way in both directions, half closed, closed by one end, more than the receiver's
// buffer holds, an urgent byte. Also a connection that nobody has accepted yet.
#include "place.h"

#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>

#ifndef FAMILY
#define FAMILY AF_INET
#endif

struct both {
  int client, server;
};
static int listener;

static socklen_t loopback(int family, struct sockaddr_storage* name) {
  memset(name, 0, sizeof *name);
  name->ss_family = (sa_family_t)family;
  if (family == AF_INET) ((struct sockaddr_in*)name)->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  else ((struct sockaddr_in6*)name)->sin6_addr = in6addr_loopback;
  return family == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6);
}

static int call(void) {
  struct sockaddr_storage there;
  socklen_t size = sizeof there;
  OK(getsockname(listener, (struct sockaddr*)&there, &size));
  const int fd = socket(there.ss_family, SOCK_STREAM, 0);
  OK(connect(fd, (struct sockaddr*)&there, size));
  return fd;
}

static struct both connected(void) {
  const int client = call();
  const struct both made = {client, accept(listener, NULL, NULL)};
  OK(made.server);
  return made;
}

static int gets_end(int fd) {
  char found;
  return recv(fd, &found, 1, MSG_DONTWAIT) == 0;
}

static void go(int family) {
  struct sockaddr_storage here;
  const socklen_t size = loopback(family, &here);
  listener = socket(family, SOCK_STREAM, 0);
  if (bind(listener, (struct sockaddr*)&here, size) != 0) {  // a machine without IPv6
    for (int times = 0; times < 2; ++times) line();
    close(listener);
    return;
  }
  OK(listen(listener, 5));
  const struct both talk = connected(), half = connected(), left = connected(), full = connected();
  const int early = call();
  CHECK(writes(half.client, "last words")), OK(shutdown(half.client, SHUT_WR));
  CHECK(writes(left.client, "gone")), OK(close(left.client));
  OK(fcntl(full.client, F_SETFL, O_NONBLOCK));
  static char much[1 << 16];
  ssize_t sent = 0, got = 0, n;
  while ((n = write(full.client, much, sizeof much)) > 0) sent += n;
  for (int times = 0; times < 2; ++times) {
    CHECK(writes(talk.client, "there") && writes(talk.server, "back"));
    CHECK(send(talk.client, "!", 1, MSG_OOB) == 1);
    line();
    char urgent = 0;
    CHECK(recv(talk.server, &urgent, 1, MSG_OOB) == 1 && urgent == '!', "%s", strerror(errno));
    CHECK(reads(talk.server, "there") && reads(talk.client, "back"), "%s", strerror(errno));
    if (times == 0) CHECK(reads(half.server, "last ") && reads(left.server, "go"), "%s", strerror(errno));
  }
  CHECK(reads(half.server, "words") && gets_end(half.server), "%s", strerror(errno));
  CHECK(writes(half.server, "answer") && reads(half.client, "answer"), "%s", strerror(errno));
  CHECK(reads(left.server, "ne") && gets_end(left.server), "%s", strerror(errno));
  while ((n = recv(full.server, much, sizeof much, got == sent ? MSG_DONTWAIT : 0)) > 0) got += n;
  CHECK(got == sent, "%zd of %zd", got, sent);
  const int met = accept(listener, NULL, NULL);
  CHECK(writes(early, "hello") && reads(met, "hello"), "%s", strerror(errno));
  const int all[] = {listener,    talk.client, talk.server, half.client, half.server,
                     left.server, full.client, full.server, early,       met};
  for (unsigned i = 0; i < sizeof all / sizeof *all; ++i) OK(close(all[i]));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  signal(SIGPIPE, SIG_IGN);
  go(FAMILY);
  return finish();
}
