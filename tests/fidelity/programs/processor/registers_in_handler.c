// A line that is met in a handler of a fault: the interrupted code finds its vector, x87 and general registers again.
#include "fidelity.h"

#include <signal.h>
#include <ucontext.h>

static unsigned char in[4][64] __attribute__((aligned(64))), out[4][64] __attribute__((aligned(64)));
static void handler(int signal, siginfo_t* info, void* context) {
  (void)signal, (void)info;
  line();
  ((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP] += 2;               // past the instruction that is none
}
#define MEET(move, reg, rbx) \
  __asm__ volatile(move " 0(%1), %%" reg "0\n" move " 64(%1), %%" reg "9\n" move " 192(%1), %%" reg "15\n" \
                   "fldpi\nmov $0x1234567, %0\nud2\n" \
                   move " %%" reg "0, 0(%2)\n" move " %%" reg "9, 64(%2)\n" move " %%" reg "15, 192(%2)\n" \
                   "fstpl 128(%2)\n" \
                   : "=&r"(rbx) : "r"(in), "r"(out) : "memory", "xmm0", "xmm9", "xmm15")

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  sigaction(SIGILL, &action, NULL);
  for (size_t at = 0; at < sizeof in; ++at) ((unsigned char*)in)[at] = (unsigned char)(at * 41 + 7);
  const int widest = __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx") ? 32 : 16;
  for (int round = 0; round < 2; ++round) {
    const int width = round == 0 ? widest : widest > 16 ? 32 : 16;
    long number = 0;
    memset(out, 0, sizeof out);
    if (width == 64) MEET("vmovdqu64", "zmm", number);
    else if (width == 32) MEET("vmovdqu", "ymm", number);
    else MEET("movdqu", "xmm", number);
    double pi;
    memcpy(&pi, out[2], sizeof pi);
    CHECK(number == 0x1234567 && pi > 3.14159 && pi < 3.1416, "%lx %f", (unsigned long)number, pi);
    for (int row = 0; row < 4; ++row) if (row != 2) CHECK(memcmp(in[row], out[row], (size_t)width) == 0,
                                                          "width %d, row %d", width, row);
  }
  return finish();
}
