// Locks of parts of a file, of the process and of an open file.
#include "place.h"

#include <sys/wait.h>

static struct flock part(short type, off_t start, off_t length) {
  return (struct flock){.l_type = type, .l_whence = SEEK_SET, .l_start = start, .l_len = length};
}

/// Type of the lock that a child would meet there.
static int met_by_child(int fd, off_t start, off_t length) {
  const pid_t child = fork();
  if (child == 0) {
    struct flock wanted = part(F_WRLCK, start, length);
    _exit(fcntl(fd, F_GETLK, &wanted) == 0 ? wanted.l_type : 99);
  }
  int status = 0;
  OK(waitpid(child, &status, 0));
  return WEXITSTATUS(status);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  const int fd = open(in("f"), O_RDWR | O_CREAT, 0644), open_file = open(in("g"), O_RDWR | O_CREAT, 0644);
  const int other = open(in("g"), O_RDWR);
  struct flock ten = part(F_WRLCK, 10, 10), thirty = part(F_RDLCK, 30, 0), own = part(F_WRLCK, 5, 5);
  OK(fcntl(fd, F_SETLK, &ten));
  OK(fcntl(fd, F_SETLK, &thirty));
  OK(fcntl(open_file, F_OFD_SETLK, &own));
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(met_by_child(fd, 0, 10) == F_UNLCK);
    CHECK(met_by_child(fd, 15, 1) == F_WRLCK);
    CHECK(met_by_child(fd, 1000, 1) == F_RDLCK);
    struct flock wanted = part(F_WRLCK, 0, 6);
    CHECK(fcntl(other, F_OFD_SETLK, &wanted) == -1 && errno == EAGAIN);
  }
  leave_place();
  return finish();
}
