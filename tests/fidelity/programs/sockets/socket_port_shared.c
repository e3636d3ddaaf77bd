// Sockets that share a port: they were allowed to when they were bound, and one no longer is (SO_REUSEPORT,
// SO_REUSEADDR). Both have the port after the lines, also if a connection had it as well, and one of the two gets what
// comes.
#include "fidelity.h"

#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

static const struct sockaddr_in anywhere = {.sin_family = AF_INET, .sin_addr = {0x0100007f}};

static struct sockaddr_in place_of(int fd) {
  struct sockaddr_in found = {0};
  socklen_t length = sizeof found;
  OK(getsockname(fd, (struct sockaddr*)&found, &length));
  return found;
}

static int bound(int type, int option, struct sockaddr_in place) {
  const int fd = socket(AF_INET, type, 0), yes = 1;
  OK(setsockopt(fd, SOL_SOCKET, option, &yes, sizeof yes));
  OK(bind(fd, (const struct sockaddr*)&place, sizeof place));
  if (type == SOCK_STREAM) OK(listen(fd, 4));
  return fd;
}

static int option_of(int fd, int option) {
  int value = -1;
  socklen_t length = sizeof value;
  OK(getsockopt(fd, SOL_SOCKET, option, &value, &length));
  return value;
}

/// The one that has something to be read.
static int has_something(const int* two) {
  struct pollfd asked[2] = {{two[0], POLLIN, 0}, {two[1], POLLIN, 0}};
  CHECK(poll(asked, 2, 10000) == 1);
  return asked[0].revents != 0 ? two[0] : two[1];
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int options[] = {SO_REUSEPORT, SO_REUSEPORT, SO_REUSEADDR};
  const int types[] = {SOCK_STREAM, SOCK_DGRAM, SOCK_DGRAM};
  const int no = 0;
  int pairs[3][2];
  struct sockaddr_in places[3];
  for (int i = 0; i < 3; ++i) {
    pairs[i][0] = bound(types[i], options[i], anywhere);
    places[i] = place_of(pairs[i][0]);
    pairs[i][1] = bound(types[i], options[i], places[i]);
    OK(setsockopt(pairs[i][0], SOL_SOCKET, options[i], &no, sizeof no));
  }
  const int kept = socket(AF_INET, SOCK_STREAM, 0);
  OK(connect(kept, (const struct sockaddr*)&places[0], sizeof places[0]));
  const int served = accept(has_something(pairs[0]), NULL, NULL);
  for (int times = 0; times < 2; ++times) {
    line();
    char byte = 'k';
    CHECK(write(kept, &byte, 1) == 1 && read(served, &byte, 1) == 1 && byte == 'k', "%s", strerror(errno));
    for (int i = 0; i < 3; ++i) {
      for (int k = 0; k < 2; ++k) {
        const struct sockaddr_in now = place_of(pairs[i][k]);
        CHECK(now.sin_port == places[i].sin_port, "%d of pair %d", k, i);
        CHECK(option_of(pairs[i][k], options[i]) == k, "%d of pair %d", k, i);
      }
      const int caller = socket(AF_INET, types[i], 0);
      byte = 'x';
      OK(connect(caller, (const struct sockaddr*)&places[i], sizeof places[i]));
      CHECK(write(caller, &byte, 1) == 1);
      const int taker = has_something(pairs[i]);
      const int from = types[i] == SOCK_STREAM ? accept(taker, NULL, NULL) : taker;
      CHECK(read(from, &byte, 1) == 1 && byte == 'x', "%s", strerror(errno));
      close(caller);        // first: who closes first has its port waited for
      if (from == taker) continue;
      CHECK(read(from, &byte, 1) == 0);
      close(from);
    }
  }
  return finish();
}
