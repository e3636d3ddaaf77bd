// A child that is alive at a line. It continues through a checkpoint after which its parent continues. A restart cannot
// have it.
#include "fidelity.h"

#include <sys/wait.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int round = 0; round < 2; ++round) {
    int to[2];
    char done = 'd';
    CHECK(pipe(to) == 0);
    const pid_t child = fork();
    if (child == 0) {
      close(to[1]);
      _exit(read(to[0], &done, 1) == 1 ? 5 : 6);
    }
    line();
    CHECK(write(to[1], &done, 1) == 1);
    int status = -1;
    CHECK(waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 5, "%x", (unsigned)status);
    close(to[0]), close(to[1]);
  }
  return finish();
}
