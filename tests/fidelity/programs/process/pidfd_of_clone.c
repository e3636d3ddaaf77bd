// clone gives a descriptor of the child (CLONE_PIDFD): it waits for it, and is closed, as one of the program's.
#include "fidelity.h"

#include <linux/sched.h>
#include <signal.h>
#include <sys/wait.h>

static void once(int status) {
  int fd = -1;
  const long child = syscall(SYS_clone, CLONE_PIDFD | SIGCHLD, 0L, &fd, 0L, 0L);
  if (child == 0) _exit(status);
  OK(child);
  CHECK(fd >= 0);
  siginfo_t how;
  memset(&how, 0, sizeof how);
  OK(waitid(P_PIDFD, (id_t)fd, &how, WEXITED));
  CHECK(how.si_pid == child && how.si_status == status, "%d", how.si_status);
  OK(close(fd));
  CHECK(close(fd) == -1 && errno == EBADF);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  once(3);
  line();
  once(4);
  line();
  once(5);
  return finish();
}
