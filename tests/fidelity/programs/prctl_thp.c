// That the process has no huge pages.
#include "../fidelity.h"

#include <sys/prctl.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1);
  }
  return finish();
}
