// A large reservation with little in it: the contents, and that the rest stays unused.
#include "fidelity.h"

#include <sys/mman.h>

static long resident(void) {       // in KiB
  char text[256];
  long kibs = -1;
  FILE* const file = fopen("/proc/self/status", "r");
  while (file && fgets(text, sizeof text, file)) sscanf(text, "VmRSS: %ld", &kibs);
  if (file) fclose(file);
  return kibs;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const size_t size = (size_t)64 << 30, step = (size_t)1 << 30;
  char* const all =
      mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(all != MAP_FAILED);
  if (all == MAP_FAILED) return finish();
  for (size_t at = 0; at < size; at += step) all[at + 12345] = (char)(at / step + 1);
  for (int round = 0; round < 2; ++round) {
    line();
    for (size_t at = 0; at < size; at += step) CHECK(all[at + 12345] == (char)(at / step + 1));
    CHECK(resident() < 2 * 1024 * 1024, "%ld MiB", resident() / 1024);
    for (size_t at = 0; at < size; at += step) CHECK(all[at + step / 2] == 0);
  }
  return finish();
}
