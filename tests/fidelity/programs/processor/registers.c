// Values that live in vector registers (SSE, AVX, AVX-512 where there is) and x87's, while lines come to a computing thread.
#include "fidelity.h"

#include <pthread.h>

static volatile int stop;
static int rounds_met;
static unsigned char in[16][64] __attribute__((aligned(64))), out[16][64] __attribute__((aligned(64)));

#define LOOP(move, reg) \
  __asm__ volatile( \
    move " 0(%0), %%" reg "0\n" move " 64(%0), %%" reg "1\n" move " 448(%0), %%" reg "7\n" move " 960(%0), %%" reg "15\n" \
    "fld1\nfldpi\n" \
    "1: pause\ncmpl $0, %2\nje 1b\n" \
    move " %%" reg "0, 0(%1)\n" move " %%" reg "1, 64(%1)\n" move " %%" reg "7, 448(%1)\n" move " %%" reg "15, 960(%1)\n" \
    "fstpl 128(%1)\nfstpl 136(%1)\n" \
    : : "r"(in), "r"(out), "m"(stop) : "memory", "cc", "xmm0", "xmm1", "xmm7", "xmm15")

static void* computes(void* width) {
  const int bytes = *(int*)width;
  if (bytes == 64) LOOP("vmovdqu64", "zmm");
  else if (bytes == 32) LOOP("vmovdqu", "ymm");
  else LOOP("movdqu", "xmm");
  const int rows[] = {0, 1, 7, 15};
  for (int row = 0; row < 4; ++row) CHECK(memcmp(in[rows[row]], out[rows[row]], (size_t)bytes) == 0, "width %d, register %d", bytes, rows[row]);
  double x87[2];
  memcpy(x87, out[2], sizeof x87);
  CHECK(x87[0] > 3.14159 && x87[0] < 3.1416 && x87[1] == 1, "%f %f", x87[0], x87[1]);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (size_t at = 0; at < sizeof in; ++at) ((unsigned char*)in)[at] = (unsigned char)(at * 37 + 11);
  const int widest = __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx") ? 32 : 16;
  for (; rounds_met < 2; ++rounds_met) {
    int width = rounds_met == 0 ? widest : widest > 16 ? 32 : 16;
    pthread_t thread;
    stop = 0;
    pthread_create(&thread, NULL, computes, &width);
    usleep(20000);
    line();
    usleep(1000);
    stop = 1;
    pthread_join(thread, NULL);
  }
  return finish();
}
