// Pipes of one process: with data in them, of a set size, with duplicated ends, and full of whole pages.
#include "place.h"

#include <sys/ioctl.h>

static int filled(int fd) {
  static char page[4096];
  int bytes = 0;
  for (ssize_t n; (n = write(fd, page, sizeof page)) > 0;) bytes += (int)n;
  return bytes;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int some[2], full[2], sized[2];
  OK(pipe(some)), OK(pipe2(full, O_NONBLOCK | O_CLOEXEC)), OK(pipe(sized));
  OK(fcntl(sized[0], F_SETPIPE_SZ, 1 << 18));
  const int twin = dup(some[1]), bytes = filled(full[1]);
  CHECK(writes(some[1], "one ") && writes(twin, "two "));
  line();
  int left = 0;
  OK(ioctl(full[0], FIONREAD, &left));
  CHECK(left == bytes, "%d of %d", left, bytes);
  CHECK(write(full[1], "x", 1) == -1 && errno == EAGAIN);
  CHECK(reads(some[0], "one two "));
  CHECK(writes(twin, "three"));
  CHECK(fcntl(sized[1], F_GETPIPE_SZ) == 1 << 18, "%d", fcntl(sized[1], F_GETPIPE_SZ));
  CHECK((fcntl(full[0], F_GETFD) & FD_CLOEXEC) && (fcntl(full[0], F_GETFL) & O_NONBLOCK));
  CHECK(!(fcntl(some[0], F_GETFL) & O_NONBLOCK));
  line();
  CHECK(reads(some[0], "three"));
  close(some[1]), close(twin);
  CHECK(read(some[0], &left, 1) == 0);
  close(some[0]);
  static char block[4096];
  for (left = bytes; left > 0;) left -= (int)read(full[0], block, sizeof block);
  CHECK(left == 0 && read(full[0], block, 1) == -1 && errno == EAGAIN);
  return finish();
}
