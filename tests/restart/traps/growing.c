// A block that grows by mremap, big enough that libc maps it; its contents move with it.
#include "../../mpi/programs/check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  size_t size = 1 << 20;
  int* block = malloc(size);
  for (size_t i = 0; i < size / sizeof *block; ++i) block[i] = (int)i;
  for (int k = 0; k < steps; ++k) {
    const size_t bigger = k % 20 == 19 ? 1 << 20 : size + (1 << 19);
    block = realloc(block, bigger);
    for (size_t i = size / sizeof *block; i < bigger / sizeof *block; ++i) block[i] = (int)i;
    size = bigger;
    for (size_t i = 0; i < size / sizeof *block; i += 1000) CHECK(block[i] == (int)i);
    MPI_Barrier(MPI_COMM_WORLD);
    step(k);
  }
  return finish();
}
