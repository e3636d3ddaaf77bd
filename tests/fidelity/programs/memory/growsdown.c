// A mapping that grows downward by faults below it.
#include "fidelity.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  enum { page = 4096, room = 512 };
  char* const space = mmap(NULL, 2 * room * page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  OK(munmap(space, 2 * room * page));          // nothing is below it
  char* const top = mmap(space + (2 * room - 1) * page, page, PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE | MAP_GROWSDOWN, -1, 0);
  CHECK(top == space + (2 * room - 1) * page);
  if (top == MAP_FAILED) return finish();
  int depth = 1;
  *top = 1;
  for (; depth < 10; ++depth) *(volatile char*)(top - depth * page) = (char)(depth + 1);
  for (int round = 0; round < 2; ++round) {
    line();
    for (int which = 0; which < depth; ++which) CHECK(top[-which * page] == which + 1);
    for (const int end = depth + 20; depth < end; ++depth) *(volatile char*)(top - depth * page) = (char)(depth + 1);
  }
  return finish();
}
