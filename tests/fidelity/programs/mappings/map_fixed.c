// Mappings at addresses that the program chooses in a range that it had before, replaced in part, and with holes.
#include "fidelity.h"

#include <sys/mman.h>

enum { count = 5 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int made[count];
  uintptr_t at[count];
  char* const range = mmap(NULL, count << 24, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(range != MAP_FAILED && munmap(range, count << 24) == 0);
  for (int i = 0; i < count; ++i) {
    at[i] = (uintptr_t)range + ((uintptr_t)i << 24) + 8192;
    char* const map = mmap((void*)at[i], 65536, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    made[i] = map != MAP_FAILED;
    CHECK(made[i], "%lx: %s", (unsigned long)at[i], strerror(errno));
    if (!made[i]) continue;
    memset(map, i + 1, 65536);
    OK(mprotect(map + 4096, 4096, PROT_READ));
    CHECK(mmap(map + 8192, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == map + 8192);
    OK(munmap(map + 12288, 4096));
  }
  for (int round = 0; round < 2; ++round) {
    line();
    for (int i = 0; i < count; ++i) {
      if (!made[i]) continue;
      char* const map = (char*)at[i];
      CHECK(map[0] == i + 1 && map[4096] == i + 1 && map[8192] == (round == 0 ? 0 : 9) && map[65535] == i + 1, "map %d",
            i);
      map[8192] = 9;
      CHECK(mmap(map, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED &&
            errno == EEXIST);
      char* const hole = mmap(map + 12288, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
      CHECK(hole == map + 12288, "%s", strerror(errno));
      if (hole == map + 12288) OK(munmap(hole, 4096));
    }
  }
  return finish();
}
