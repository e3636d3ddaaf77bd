// Locks of parts of a file, of which each rank holds one at the lines: the other sees it, and whose it is.
// ranks: 2
#include "pair.h"

static struct flock part(short type, off_t start, off_t length) {
  return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  const int fd = open_common("f", O_RDWR);
  struct flock own = part(me == 0 ? F_WRLCK : F_RDLCK, 100 * me, 50);
  OK(fcntl(fd, F_SETLK, &own));
  together();
  for (int round = 0; round < 2; ++round) {
    line();
    struct flock others = part(F_WRLCK, 100 * other(), 10), free_part = part(F_WRLCK, 60, 10);
    const int pid = exchange(getpid());
    CHECK(fcntl(fd, F_GETLK, &others) == 0 && others.l_type == (me == 0 ? F_RDLCK : F_WRLCK), "%d", others.l_type);
    CHECK(others.l_pid == pid, "held by %d, not %d", others.l_pid, pid);
    CHECK(fcntl(fd, F_GETLK, &free_part) == 0 && free_part.l_type == F_UNLCK);
    struct flock wanted = part(F_WRLCK, 100 * other() + 49, 1);
    CHECK(fcntl(fd, F_SETLK, &wanted) == -1 && (errno == EAGAIN || errno == EACCES));
    together();
  }
  close(fd);
  together();
  if (me == 1) {
    const int again = open(in("f"), O_RDWR);
    struct flock whole = part(F_WRLCK, 0, 0);
    OK(fcntl(again, F_SETLK, &whole));
    close(again);
  }
  leave_common_place();
  return finish();
}
