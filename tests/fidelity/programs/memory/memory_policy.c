// The placement of memory: the policy of the thread.
#include "fidelity.h"



int main(int argc, char** argv) {
  begin(&argc, &argv);
  unsigned long nodes = 1;
  const int may = syscall(SYS_set_mempolicy, 2, &nodes, 64) == 0;       // MPOL_BIND
  for (int round = 0; round < 2; ++round) {
    line();
    int policy = -1;
    unsigned long now[16] = {0};
    if (!may) continue;
    OK(syscall(SYS_get_mempolicy, &policy, now, sizeof now * 8, NULL, 0));
    CHECK(policy == 2 && now[0] == 1, "%d", policy);
  }
  return finish();
}
