// Memory from sbrk: its contents, and that the break continues from its place, both ways.
#include "fidelity.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  enum { size = 1 << 20 };
  unsigned char* const first = sbrk(size);
  CHECK(first != (void*)-1);
  if (first == (void*)-1) return finish();
  for (int at = 0; at < size; ++at) first[at] = (unsigned char)(at * 7 + me);
  char* const end = sbrk(0);
  for (int round = 0; round < 2; ++round) {
    line();
    int differ = 0;
    for (int at = 0; at < size; ++at) differ += first[at] != (unsigned char)(at * 7 + me);
    CHECK(differ == 0, "%d bytes", differ);
    CHECK(sbrk(0) == end);
    char* const more = sbrk(3 * size);
    CHECK(more == end);
    if (more != (void*)-1) {
      for (int at = 0; at < 3 * size; ++at)
        if (more[at] != 0) { CHECK(!"new memory is zero"); break; }
      memset(more, 1, 3 * size);
    }
    CHECK(sbrk(-3 * size) == end + 3 * size);
    CHECK(brk(end) == 0);
  }
  return finish();
}
