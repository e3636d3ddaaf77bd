// malloc with its parameters set, by the break and by mappings, before and after. Its counts continue.
#include "fidelity.h"

#include <malloc.h>

enum { pieces = 2000 };
static unsigned char* piece[pieces];
static size_t size_of(int which) { return (size_t)((which * 7919) % 9000) + 1; }

int main(int argc, char** argv) {
  CHECK(mallopt(M_MMAP_THRESHOLD, 4096) == 1);
  CHECK(mallopt(M_TRIM_THRESHOLD, 64 * 1024) == 1);
  CHECK(mallopt(M_TOP_PAD, 256 * 1024) == 1);
  begin(&argc, &argv);
  for (int which = 0; which < pieces; ++which) {
    piece[which] = malloc(size_of(which));
    memset(piece[which], which & 255, size_of(which));
  }
  for (int round = 0; round < 2; ++round) {
    line();
    for (int which = 0; which < pieces; ++which) {
      for (size_t at = 0; at < size_of(which); ++at)
        if (piece[which][at] != (which & 255)) { CHECK(!"contents", "piece %d", which); break; }
      if (which % 3 == round) {
        piece[which] = realloc(piece[which], size_of(which) * 5);
        piece[which] = realloc(piece[which], size_of(which));
      }
      if (which % 3 == 2) {
        free(piece[which]);
        piece[which] = malloc(size_of(which));
        memset(piece[which], which & 255, size_of(which));
      }
    }
    malloc_trim(0);
  }
  return finish();
}
