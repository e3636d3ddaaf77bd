// That the process has no huge pages.
#include "fidelity.h"

#include <sys/prctl.h>

enum { bytes = 16 << 20 };

/// KiB of huge pages in the mapping that holds `at`.
static long huge_kib(const char* at) {
  FILE* const file = fopen("/proc/self/smaps", "r");
  char text[512];
  int is_it = 0;
  long kib = -1;
  while (kib < 0 && fgets(text, sizeof text, file) != NULL) {
    unsigned long begin, end;
    if (sscanf(text, "%lx-%lx ", &begin, &end) == 2) is_it = begin <= (unsigned long)at && (unsigned long)at < end;
    else if (is_it) sscanf(text, "AnonHugePages: %ld", &kib);
  }
  fclose(file);
  return kib;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0));
  char* volatile memory = malloc(bytes);      // volatile: it is written to whatever becomes of it
  memset(memory, 1, bytes);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1);
    CHECK(huge_kib(memory + bytes / 2) == 0);
    CHECK(memory[bytes / 2] == 1);
  }
  free(memory);
  return finish();
}
