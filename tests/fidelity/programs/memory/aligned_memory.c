// Blocks of aligned_alloc, posix_memalign, memalign and valloc, and a heap that is trimmed before and after the lines.
#include "fidelity.h"

#include <malloc.h>

enum { kinds = 8 };
static char* block(int kind) {
  void* at = NULL;
  switch (kind % 4) {
    case 0: return aligned_alloc(4096, 8192 * (size_t)(kind + 1));
    case 1: return posix_memalign(&at, 64, 1000) == 0 ? at : NULL;
    case 2: return memalign(1 << 20, 100);
    default: return valloc(5000);
  }
}
static const size_t alignments[4] = {4096, 64, 1 << 20, 4096};

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char* all[kinds];
  for (int i = 0; i < kinds; ++i) CHECK((all[i] = block(i)) != NULL), memset(all[i], i + 1, 100);
  for (int round = 0; round < 2; ++round) {
    char* some[200];
    for (int i = 0; i < 200; ++i) some[i] = memset(malloc(20000), 1, 20000);
    char* const top = malloc(10);
    for (int i = 0; i < 200; ++i) free(some[i]);
    free(top), malloc_trim(4096);
    line();
    malloc_trim(0);
    for (int i = 0; i < kinds; ++i) {
      CHECK((uintptr_t)all[i] % alignments[i % 4] == 0 && all[i][0] == i + 1 && all[i][99] == i + 1, "block %d", i);
      CHECK(malloc_usable_size(all[i]) >= 100);
      if (i % 2 == round) free(all[i]), all[i] = memset(block(i), i + 1, 100);
    }
  }
  for (int i = 0; i < kinds; ++i) free(all[i]);
  return finish();
}
