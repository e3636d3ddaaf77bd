// The name of the main thread.
#include "fidelity.h"

#include <sys/prctl.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(prctl(PR_SET_NAME, "worker of mine"));
  for (int round = 0; round < 2; ++round) {
    line();
    char name[16] = "";
    OK(prctl(PR_GET_NAME, name));
    CHECK(strcmp(name, "worker of mine") == 0, "%s", name);
  }
  return finish();
}
