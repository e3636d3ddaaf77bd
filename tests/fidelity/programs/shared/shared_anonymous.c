// Memory shared with children that have ended: it holds what they wrote, and later children share it too.
#include "fidelity.h"

#include <sys/mman.h>
#include <sys/wait.h>

static void by_child(volatile int* at, int value) {
  const pid_t child = fork();
  if (child == 0) { *at = value; _exit(0); }
  CHECK(child > 0 && waitpid(child, NULL, 0) == child);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  volatile int* const shared = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  by_child(shared, 1);
  by_child(shared + 100000, 2);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(shared[0] == 1 + round && shared[100000] == 2 + round, "%d %d", shared[0], shared[100000]);
    by_child(shared, 2 + round);
    by_child(shared + 100000, 3 + round);
    CHECK(shared[0] == 2 + round && shared[100000] == 3 + round, "%d %d", shared[0], shared[100000]);
  }
  return finish();
}
