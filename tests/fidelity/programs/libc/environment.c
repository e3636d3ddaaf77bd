// The environment: variables that the program sets, changes, removes or puts in place. Children have the same.
#include "fidelity.h"

#include <sys/wait.h>

int main(int argc, char** argv) {
  static char mine[] = "FIDELITY_OF_MINE=first";
  begin(&argc, &argv);
  setenv("FIDELITY_SET", "a value", 1);
  setenv("HOME", "/nowhere", 1);
  unsetenv("PATH");
  putenv(mine);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(getenv("FIDELITY_SET") && strcmp(getenv("FIDELITY_SET"), "a value") == 0);
    CHECK(getenv("HOME") && strcmp(getenv("HOME"), "/nowhere") == 0);
    CHECK(getenv("PATH") == NULL);
    CHECK(getenv("FIDELITY_OF_MINE") == mine + 17);
    strcpy(mine + 17, round ? "third" : "other");
    CHECK(strcmp(getenv("FIDELITY_OF_MINE"), round ? "third" : "other") == 0);
    const int status = system(round ? "test \"$FIDELITY_OF_MINE$FIDELITY_SET$HOME\" = 'thirda value/nowhere'"
                                    : "test \"$FIDELITY_OF_MINE$FIDELITY_SET$HOME\" = 'othera value/nowhere'");
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%x", (unsigned)status);
  }
  return finish();
}
