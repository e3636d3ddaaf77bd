// A hundred thousand mappings one by one, that the kernel joins, and every hundredth removed again.
#include "fidelity.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  enum { count = 100000, page = 4096 };
  char* const all = mmap(NULL, (size_t)count * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(all != MAP_FAILED);
  for (int which = 0; which < count; ++which) {
    char* const at = all + (size_t)which * page;
    if (mmap(at, page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != at) {
      CHECK(!"mmap", "at %d: %s", which, strerror(errno));
      return finish();
    }
    if (which % 100 != 0) *(int*)at = which;
  }
  for (int which = 0; which < count; which += 100) OK(munmap(all + (size_t)which * page, page));
  for (int round = 0; round < 2; ++round) {
    line();
    int differ = 0;
    for (int which = 0; which < count; ++which)
      if (which % 100 != 0) differ += *(int*)(all + (size_t)which * page) != which;
    CHECK(differ == 0, "%d pages", differ);
    unsigned char resident;
    for (int which = 0; which < count; which += 100)
      if (mincore(all + (size_t)which * page, page, &resident) != -1 || errno != ENOMEM) {
        CHECK(!"a hole is a hole", "%d", which);
        break;
      }
  }
  return finish();
}
