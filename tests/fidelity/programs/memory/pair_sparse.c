// Rank 1 has reserved 256 GB, with a page in it now and then; rank 0 has not.
// ranks: 2
#include "pair.h"

enum { pages = 64 };
static const size_t whole = (size_t)1 << 38;

int main(int argc, char** argv) {
  begin(&argc, &argv);
  char* map = NULL;
  if (me == 1) {
    map = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    CHECK(map != MAP_FAILED, "%s", strerror(errno));
    for (size_t i = 0; i < pages; ++i) map[whole / pages * i + 77 * i] = (char)(i + 1);
  }
  for (int round = 0; round < 2; ++round) {
    line();
    for (size_t i = 0; me == 1 && i < pages; ++i) {
      CHECK(map[whole / pages * i + 77 * i] == (char)(i + 1), "page %zu", i);
      if (i % 16 == 0) CHECK(map[whole / pages * i + whole / pages / 2] == 0);
    }
    together();
  }
  if (me == 1) OK(munmap(map, whole));
  return finish();
}
