// Mappings at addresses of the program's choice anywhere in its space, low and high.
#include "fidelity.h"

#include <sys/mman.h>

enum { count = 5 };
static const uintptr_t at[count] = {0x10000000, 0x200000000, 0x123456000000, 0x300000000000, 0x500000000000};

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int made[count];
  for (int i = 0; i < count; ++i) {
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
