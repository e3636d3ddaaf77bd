// System calls made through syscall(), which open, duplicate and close as libc's functions do.
#include "place.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("f", "abcdef");
  const int fd = (int)syscall(SYS_openat, AT_FDCWD, in("f"), O_RDONLY), twin = (int)syscall(SYS_dup, fd);
  const int memory = (int)syscall(SYS_memfd_create, "m", 0), closed = open(in("f"), O_RDONLY);
  const int process = (int)syscall(SYS_pidfd_open, getpid(), 0), taken = (int)syscall(SYS_pidfd_getfd, process, fd, 0);
  OK(syscall(SYS_close, closed)), OK(close(process));
  OK(taken);
  CHECK(writes(memory, "text"));
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(reads(fd, times == 0 ? "a" : "d"));
    CHECK(reads(twin, times == 0 ? "b" : "e"), "%s", strerror(errno));
    CHECK(reads(taken, times == 0 ? "c" : "f"), "%s", strerror(errno));
    OK(lseek(memory, 0, SEEK_SET));
    CHECK(reads(memory, "text"), "%s", strerror(errno));
    CHECK(fcntl(closed, F_GETFD) == -1);
  }
  leave_place();
  return finish();
}
