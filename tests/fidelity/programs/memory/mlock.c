// Memory that is locked by mlock, by the kernel's count.
#include "fidelity.h"

#include <sys/mman.h>

static long locked(void) {       // in KiB
  char text[256];
  long kibs = -1;
  FILE* const file = fopen("/proc/self/status", "r");
  while (file && fgets(text, sizeof text, file)) sscanf(text, "VmLck: %ld", &kibs);
  if (file) fclose(file);
  return kibs;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  enum { size = 1 << 20 };
  char* const pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  OK(mlock(pages, size));
  memset(pages, 1, size);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(pages[size - 1] == 1);
    CHECK(locked() >= 1024, "%ld KiB", locked());
    CHECK(locked() < 2048, "%ld KiB", locked());
  }
  OK(munlock(pages, size));
  CHECK(locked() == 0, "%ld KiB", locked());
  return finish();
}
