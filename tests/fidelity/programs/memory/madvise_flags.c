// Advice about memory that the kernel keeps: its flags in /proc/self/smaps.
#include "fidelity.h"

#include <sys/mman.h>

static int has(const void* at, const char* flag) {
  char text[1024];
  unsigned long start, end;
  int here = 0, found = 0;
  FILE* const file = fopen("/proc/self/smaps", "r");
  while (file && fgets(text, sizeof text, file)) {
    if (sscanf(text, "%lx-%lx ", &start, &end) == 2) here = start <= (uintptr_t)at && (uintptr_t)at < end;
    else if (here && strncmp(text, "VmFlags:", 8) == 0) found = strstr(text, flag) != NULL;
  }
  if (file) fclose(file);
  return found;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct { int advice; const char* flag; } rows[] = {{MADV_HUGEPAGE, " hg"}, {MADV_NOHUGEPAGE, " nh"},
      {MADV_DONTDUMP, " dd"}, {MADV_SEQUENTIAL, " sr"}, {MADV_RANDOM, " rr"}, {MADV_DONTFORK, " dc"},
      {MADV_WIPEONFORK, " wf"}};
  enum { count = sizeof rows / sizeof *rows, size = 4 << 20 };
  char* pages[count];
  int had[count];
  for (int row = 0; row < count; ++row) {
    pages[row] = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    madvise(pages[row], size, rows[row].advice);
    memset(pages[row], row, size);
    had[row] = has(pages[row], rows[row].flag);
  }
  CHECK(had[2] && had[3] && had[4]);
  for (int round = 0; round < 2; ++round) {
    line();
    for (int row = 0; row < count; ++row) {
      CHECK(pages[row][size - 1] == row);
      CHECK(has(pages[row], rows[row].flag) == had[row], "%s", rows[row].flag);
    }
  }
  return finish();
}
