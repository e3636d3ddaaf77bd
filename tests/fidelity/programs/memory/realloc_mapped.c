// realloc of blocks that malloc maps one by one: they move, grow and shrink with their contents.
#include "fidelity.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  enum { first = 300000, count = 8 };
  unsigned char* block[count];
  for (int which = 0; which < count; ++which) memset(block[which] = malloc(first), which + 1, first);
  for (int round = 0; round < 2; ++round) {
    line();
    for (int which = 0; which < count; ++which) {
      const size_t before = (size_t)first << (2 * round), after = before * 4;
      block[which] = realloc(block[which], after);
      CHECK(block[which] != NULL);
      size_t differ = 0;
      for (size_t at = 0; block[which] && at < before; ++at) differ += block[which][at] != which + 1;
      CHECK(differ == 0, "%zu of %zu bytes", differ, before);
      if (block[which]) memset(block[which], which + 1, after);
    }
  }
  for (int which = 0; which < count; ++which) free(block[which]);
  return finish();
}
