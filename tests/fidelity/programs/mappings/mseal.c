// Memory that is sealed (mseal): its protection cannot be changed, nor can it be unmapped.
// needs: python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(462, 0, 0, 0) != 0)'
#include "fidelity.h"

#include <sys/mman.h>

int main(int argc, char** argv) {
  begin(&argc, &argv);
  enum { page = 4096, mseal = 462 };
  char* const at = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  strcpy(at + page, "sealed");
  OK(mprotect(at + page, page, PROT_READ));
  OK(syscall(mseal, at + page, page, 0));
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(strcmp(at + page, "sealed") == 0);
    CHECK(mprotect(at + page, page, PROT_READ | PROT_WRITE) == -1 && errno == EPERM, "%s", strerror(errno));
    CHECK(munmap(at + page, page) == -1 && errno == EPERM, "%s", strerror(errno));
    CHECK(mprotect(at, page, PROT_READ) == 0 && mprotect(at, page, PROT_READ | PROT_WRITE) == 0);
  }
  return finish();
}
