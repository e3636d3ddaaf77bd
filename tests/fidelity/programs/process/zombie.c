// A child that ended before the line and is waited for after it: its status, and its processor's time.
#include "fidelity.h"

#include <sys/wait.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int round = 0; round < 2; ++round) {
    const pid_t child = fork();
    if (child == 0) _exit(17);
    siginfo_t info;
    CHECK(child > 0 && waitid(P_PID, (id_t)child, &info, WEXITED | WNOWAIT) == 0);
    line();
    int status = -1;
    const pid_t ended = waitpid(child, &status, 0);
    CHECK(ended == child, "%s", ended < 0 ? strerror(errno) : "another");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 17, "%x", (unsigned)status);
  }
  return finish();
}
