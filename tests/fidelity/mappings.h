// The program about many mappings of a page each, whose protections keep the kernel from joining them.
#pragma once
#include "fidelity.h"

#include <sys/mman.h>

/// out: exit status
static inline int run_mappings(int argc, char** argv, int count) {
  begin(&argc, &argv);
  enum { page = 4096 };
  char* const all = mmap(NULL, (size_t)count * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(all != MAP_FAILED);
  if (all == MAP_FAILED) return finish();
  for (int which = 0; which < count; ++which) {
    *(int*)(all + (size_t)which * page) = which + 1;
    if (which % 2 == 0 && mprotect(all + (size_t)which * page, page, PROT_READ) != 0) {
      CHECK(!"mprotect", "at %d: %s", which, strerror(errno));
      break;
    }
  }
  for (int round = 0; round < 2; ++round) {
    line();
    int differ = 0;
    for (int which = 0; which < count; ++which) differ += *(int*)(all + (size_t)which * page) != which + 1;
    CHECK(differ == 0, "%d pages", differ);
    for (int which = 1; which < count; which += 2) *(int*)(all + (size_t)which * page + 100) = which;
    int into[2];
    pipe(into);
    // The kernel's own view of the protections: a write is refused, not a fault.
    CHECK(write(into[1], "x", 1) == 1);
    CHECK(read(into[0], all, 1) == -1 && errno == EFAULT);
    close(into[0]), close(into[1]);
  }
  return finish();
}
