// Rank 1 starts programs before and after the lines, which it waits for; rank 0 starts none.
// ranks: 2
#include "pair.h"

#include <sys/wait.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  make_common_place();
  for (int round = 0; round < 3; ++round) {
    if (me == 1) {
      char command[PATH_MAX + 64];
      snprintf(command, sizeof command, "printf round-%d > %s/from-%d", round, place, round);
      const int status = system(command);
      CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x", (unsigned)status);
      const pid_t child = fork();
      if (child == 0) _exit(10 + round);
      int found = 0;
      CHECK(waitpid(child, &found, 0) == child && WEXITSTATUS(found) == 10 + round, "%x", (unsigned)found);
    }
    together();
    char name[16], text[16];
    snprintf(name, sizeof name, "from-%d", round), snprintf(text, sizeof text, "round-%d", round);
    if (me == 0) CHECK(holds(name, text));
    CHECK(wait(NULL) == -1 && errno == ECHILD);
    if (round < 2) line();
  }
  leave_common_place();
  return finish();
}
