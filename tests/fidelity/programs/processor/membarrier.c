// Registration for membarrier: its commands are still allowed.
#include "fidelity.h"

#include <linux/membarrier.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0));
  for (int round = 0; round < 2; ++round) {
    line();
    OK(syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0));
  }
  return finish();
}
