// A grandchild whose parent ended, alive at the line: it concerns no process of the job.
#include "fidelity.h"

#include <sys/wait.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int round = 0; round < 2; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      if (fork() == 0) close(0), close(1), close(2), sleep(2);
      _exit(3);
    }
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3);
    line();
    CHECK(waitpid(-1, &status, WNOHANG) == -1 && errno == ECHILD);
  }
  return finish();
}
