// The base of the segment register gs, that the program uses for itself.
#include "fidelity.h"

#include <asm/prctl.h>

static long own[4] = {11, 22, 33, 44};

int main(int argc, char** argv) {
  begin(&argc, &argv);
  OK(syscall(SYS_arch_prctl, ARCH_SET_GS, own));
  for (int round = 0; round < 2; ++round) {
    line();
    unsigned long base = 0;
    OK(syscall(SYS_arch_prctl, ARCH_GET_GS, &base));
    CHECK(base == (uintptr_t)own, "another base");
    if (base != (uintptr_t)own) break;
    long value;
    __asm__ volatile("movq %%gs:16, %0" : "=r"(value));
    CHECK(value == 33, "%ld", value);
  }
  return finish();
}
