// How exact the timers of the main thread are.
#include "fidelity.h"

#include <sys/prctl.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(prctl(PR_SET_TIMERSLACK, 123456));
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(prctl(PR_GET_TIMERSLACK) == 123456, "%d", prctl(PR_GET_TIMERSLACK));
  }
  return finish();
}
