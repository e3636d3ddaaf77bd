// The priority of reads and writes.
#include "fidelity.h"

enum { who_process = 1, best_effort_6 = 2 << 13 | 6 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(syscall(SYS_ioprio_set, who_process, 0, best_effort_6));
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(syscall(SYS_ioprio_get, who_process, 0) == best_effort_6);
  }
  return finish();
}
