// That orphaned descendants become children of this process.
#include "fidelity.h"

#include <sys/prctl.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(prctl(PR_SET_CHILD_SUBREAPER, 1));
  for (int round = 0; round < 2; ++round) {
    line();
    int now = -1;
    OK(prctl(PR_GET_CHILD_SUBREAPER, &now));
    CHECK(now == 1, "%d", now);
  }
  return finish();
}
