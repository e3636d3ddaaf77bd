// Locks of open files (F_OFD_SETLK), and lockf: rank 0 holds them at the lines, rank 1 is refused, and gets them after.
// ranks: 2
#include "pair.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  const int fd = open_common("f", O_RDWR), by_lockf = open_common("g", O_RDWR);
  struct flock some = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 5, .l_len = 5};
  if (me == 0) OK(fcntl(fd, F_OFD_SETLK, &some)), OK(lockf(by_lockf, F_LOCK, 20));
  together();
  for (int round = 0; round < 2; ++round) {
    line();
    some.l_pid = 0;
    if (me == 1) CHECK(fcntl(fd, F_OFD_SETLK, &some) == -1 && errno == EAGAIN);
    if (me == 1) CHECK(lockf(by_lockf, F_TEST, 20) == -1 && (errno == EACCES || errno == EAGAIN));
    together();
  }
  if (me == 0) close(fd), OK(lockf(by_lockf, F_ULOCK, 20));
  together();
  if (me == 1) OK(fcntl(fd, F_OFD_SETLK, &some)), OK(lockf(by_lockf, F_TLOCK, 20));
  leave_common_place();
  return finish();
}
