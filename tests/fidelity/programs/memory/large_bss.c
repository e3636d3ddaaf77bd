// 512 MB of zeroes of the program's own (.bss), few of which are written, and data and constants of some MB.
#include "fidelity.h"

enum { stride = 8 << 20 };
static const size_t whole = (size_t)512 << 20;
static char zeroes[(size_t)512 << 20];
static int data[1 << 20] = {1, 2, 3};
static const int constants[1 << 18] = {7, [1 << 17] = 8};

int main(int argc, char** argv) {
  begin(&argc, &argv);
  volatile const int* const read_only = constants;
  for (size_t i = 0; i < whole; i += stride) zeroes[i + i / stride] = (char)(i / stride + 1);
  for (int i = 3; i < 1 << 20; i += 1000) data[i] = i;
  for (int round = 0; round < 2; ++round) {
    line();
    for (size_t i = 0; i < whole; i += stride) {
      CHECK(zeroes[i + i / stride] == (char)(i / stride + 1), "at %zu", i);
      CHECK(zeroes[i + stride / 2] == 0, "at %zu", i);
    }
    int bad = 0;
    for (int i = 3; i < 1 << 20; i += 1000) bad += data[i] != i || data[i + 1] != 0;
    CHECK(bad == 0 && data[2] == 3, "%d", bad);
    CHECK(read_only[0] == 7 && read_only[1 << 17] == 8 && read_only[(1 << 18) - 1] == 0);
  }
  return finish();
}
