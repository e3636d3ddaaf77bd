// Memory whose pages mremap took away and left the mapping (MREMAP_DONTUNMAP).
#include "fidelity.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  enum { size = 4 * 4096 };
  char* const whole = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memset(whole, 'w', size);
  char* const taken = mremap(whole, size, size, MREMAP_MAYMOVE | MREMAP_DONTUNMAP, NULL);
  CHECK(taken != MAP_FAILED, "%s", strerror(errno));
  CHECK(taken != whole);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(taken[size - 1] == 'w' && taken[4095] == 'w');
    CHECK(whole[size - 1] == round && whole[4095] == 0);
    whole[size - 1] = (char)(round + 1);
  }
  return finish();
}
