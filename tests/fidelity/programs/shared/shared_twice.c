// Shared memory that is mapped at two places: what is written at one is seen at the other.
#include "fidelity.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int flags = PROT_READ | PROT_WRITE;
  volatile int* const one = mmap(NULL, 8192, flags, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  volatile int* const two = mremap((void*)one, 0, 8192, MREMAP_MAYMOVE);    // of no size: a second view
  CHECK(two != MAP_FAILED && two != one);
  one[5] = 1;
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(two[5] == 1 + round, "%d", two[5]);
    one[5] = 2 + round;
    CHECK(two[5] == 2 + round, "%d", two[5]);
    two[1500] = round;
    CHECK(one[1500] == round, "%d", one[1500]);
  }
  return finish();
}
