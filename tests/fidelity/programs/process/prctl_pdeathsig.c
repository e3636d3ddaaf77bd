// The signal for the death of the parent.
#include "fidelity.h"

#include <signal.h>
#include <sys/prctl.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(prctl(PR_SET_PDEATHSIG, SIGWINCH));
  for (int round = 0; round < 2; ++round) {
    line();
    int now = -1;
    OK(prctl(PR_GET_PDEATHSIG, &now));
    CHECK(now == SIGWINCH, "%d", now);
  }
  return finish();
}
