// The nice value of the process.
#include "fidelity.h"

#include <sys/resource.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int before = getpriority(PRIO_PROCESS, 0);
  const int now = nice(3);
  CHECK(now == before + 3);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(getpriority(PRIO_PROCESS, 0) == now, "%d", getpriority(PRIO_PROCESS, 0) - before);
  }
  return finish();
}
