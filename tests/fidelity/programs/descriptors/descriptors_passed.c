// Descriptors that come by other ways than open: passed through a socket, taken from a process, opened through /proc.
#include "place.h"

#include <sys/socket.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_place();
  make_file("f", "abcdef");
  const int first = open(in("f"), O_RDONLY), pid = (int)syscall(SYS_pidfd_open, getpid(), 0);
  int pair[2], ends[2], passed = -1;
  OK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair)), OK(pipe(ends));
  char room[CMSG_SPACE(sizeof(int))] = {0}, byte = 'x', name[32];
  struct iovec data = {&byte, 1};
  struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
  struct cmsghdr* const c = CMSG_FIRSTHDR(&message);
  *c = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof(int))};
  memcpy(CMSG_DATA(c), &first, sizeof first);
  OK(sendmsg(pair[0], &message, 0));
  OK(recvmsg(pair[1], &message, 0));
  memcpy(&passed, CMSG_DATA(CMSG_FIRSTHDR(&message)), sizeof passed);
  close(pair[0]), close(pair[1]);
  const int taken = (int)syscall(SYS_pidfd_getfd, pid, first, 0);
  close(pid);
  snprintf(name, sizeof name, "/proc/self/fd/%d", ends[0]);
  const int through = open(name, O_RDONLY);
  OK(passed), OK(taken), OK(through);
  for (int times = 0; times < 2; ++times) {
    line();
    CHECK(writes(ends[1], "x") && reads(through, "x"));
    CHECK(reads(first, times == 0 ? "a" : "d"));
    CHECK(reads(passed, times == 0 ? "b" : "e"), "%s", strerror(errno));
    CHECK(reads(taken, times == 0 ? "c" : "f"), "%s", strerror(errno));
  }
  leave_place();
  return finish();
}
