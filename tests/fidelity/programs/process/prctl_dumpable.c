// That the process is not to be dumped.
#include "fidelity.h"

#include <sys/prctl.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(prctl(PR_SET_DUMPABLE, 0));
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(prctl(PR_GET_DUMPABLE) == 0, "%d", prctl(PR_GET_DUMPABLE));
  }
  return finish();
}
