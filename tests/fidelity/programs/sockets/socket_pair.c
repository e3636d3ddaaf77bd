// A pair of sockets in one process, with data in it: stream and packets.
#include "place.h"

#include <signal.h>
#include <sys/socket.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  signal(SIGPIPE, SIG_IGN);
  int stream[2], packets[2];
  OK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, stream));
  OK(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0, packets));
  for (int times = 0; times < 2; ++times) {
    char found[16];
    CHECK(writes(stream[0], "there") && writes(stream[1], "back"));
    CHECK(writes(packets[0], "one") && writes(packets[0], "second"));
    line();
    CHECK(reads(stream[1], "there"), "%s", strerror(errno));
    CHECK(reads(stream[0], "back"), "%s", strerror(errno));
    CHECK(read(packets[1], found, sizeof found) == 3);
    CHECK(read(packets[1], found, sizeof found) == 6);
  }
  return finish();
}
