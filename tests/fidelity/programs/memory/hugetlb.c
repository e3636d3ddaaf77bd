// Pages of 2 MiB from the pool, where the machine has one.
#include "fidelity.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  enum { size = 4 << 20 };
  const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
  char* all = mmap(NULL, size, PROT_READ | PROT_WRITE, flags | MAP_HUGETLB, -1, 0);
  const int pool = all != MAP_FAILED;
  if (!pool) all = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, -1, 0);
  memset(all, 3, size);
  for (int round = 0; round < 2; ++round) {
    line();
    int differ = 0;
    for (int at = 0; at < size; ++at) differ += all[at] != 3;
    CHECK(differ == 0, "%d bytes", differ);
    if (pool) CHECK(munmap(all, 4096) == -1 && errno == EINVAL);      // only whole large pages
  }
  OK(munmap(all, size));
  return finish();
}
