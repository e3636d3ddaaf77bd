// Memory given back by MADV_DONTNEED and MADV_FREE: zero or the old contents, nothing else; and new contents stay.
#include "fidelity.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  enum { size = 64 * 4096, half = size / 2 };
  char* const all = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int round = 0; round < 2; ++round) {
    memset(all, 5, size);
    OK(madvise(all, half, MADV_DONTNEED));
    OK(madvise(all + half, half, MADV_FREE));
    for (int at = half; at < size; at += 8192) all[at] = 6;
    line();
    int differ = 0;
    for (int at = 0; at < half; ++at) differ += all[at] != 0;
    for (int at = half; at < size; at += 8192) differ += all[at] != 6;
    for (int at = half + 1; at < size; at += 4096) differ += all[at] != 0 && all[at] != 5;
    CHECK(differ == 0, "%d bytes", differ);
  }
  return finish();
}
