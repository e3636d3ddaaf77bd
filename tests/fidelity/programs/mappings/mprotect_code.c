// Code that the program made: written, then executable and not writable, then changed.
#include "fidelity.h"

#include <sys/mman.h>

static void make(unsigned char* at, int value) {   // mov eax, value; ret
  at[0] = 0xb8;
  memcpy(at + 1, &value, sizeof value);
  at[5] = 0xc3;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  unsigned char* const code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int (*function)(void);
  memcpy(&function, &code, sizeof code);
  make(code, 10);
  OK(mprotect(code, 4096, PROT_READ | PROT_EXEC));
  CHECK(function() == 10);
  for (int round = 0; round < 2; ++round) {
    line();
    CHECK(function() == 10 + round, "%d", function());
    OK(mprotect(code, 4096, PROT_READ | PROT_WRITE));
    make(code, 11 + round);
    OK(mprotect(code, 4096, PROT_READ | PROT_EXEC));
    CHECK(function() == 11 + round, "%d", function());
  }
  OK(mprotect(code, 4096, PROT_EXEC));
  return finish();
}
