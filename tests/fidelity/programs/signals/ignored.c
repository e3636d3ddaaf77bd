// Ignored signals stay ignored, through lines and for programs that this one starts; SIGPIPE is an error of write.
#include "fidelity.h"

#include <signal.h>
#include <sys/wait.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  signal(SIGPIPE, SIG_IGN), signal(SIGTERM, SIG_IGN), signal(SIGRTMIN + 9, SIG_IGN);
  for (int round = 0; round < 2; ++round) {
    line();
    int ends[2];
    CHECK(pipe(ends) == 0);
    close(ends[0]);
    CHECK(write(ends[1], "x", 1) == -1 && errno == EPIPE);
    close(ends[1]);
    raise(SIGTERM), kill(getpid(), SIGTERM), raise(SIGRTMIN + 9);
    const int status = system("kill -TERM $$; exit 3");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 3, "%x", (unsigned)status);
  }
  return finish();
}
