// Mappings that were moved, grown, and shrunk by mremap, and are so again after each line.
#include "fidelity.h"

#include <sys/mman.h>

enum { page = 4096 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  char* moved = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, flags, -1, 0);
  for (int which = 0; which < 4; ++which) moved[which * page] = (char)('a' + which);
  char* const place = mmap(NULL, 64 * page, PROT_NONE, flags, -1, 0);
  // Not libc's function: an MPI's library may have put another in its place that loses the last argument.
  moved = (char*)syscall(SYS_mremap, moved, 4 * page, 8 * page, MREMAP_MAYMOVE | MREMAP_FIXED, place + 8 * page);
  CHECK(moved == place + 8 * page);
  for (int round = 0; round < 2; ++round) {
    line();
    for (int which = 0; which < 4; ++which) CHECK(moved[which * page] == 'a' + which);
    CHECK(moved[7 * page] == 0);
    char* const next = mremap(moved, 8 * page, 4 * page, 0);
    CHECK(next == moved);
    moved = mremap(moved, 4 * page, 8 * page, MREMAP_MAYMOVE);
    CHECK(moved != MAP_FAILED && moved[3 * page] == 'd');
    void* const large = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, flags, -1, 0);
    void* const larger = mremap(large, 1 << 20, 64 << 20, MREMAP_MAYMOVE);
    CHECK(larger != MAP_FAILED);
    OK(munmap(larger, 64 << 20));
  }
  return finish();
}
