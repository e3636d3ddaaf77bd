// OpenMP and MPI: the lines are met by the main thread inside a region, whose other threads compute or wait at a
// barrier.
// ranks: 2
// flags: -fopenmp
#include "pair.h"

#include <omp.h>

int main(int argc, char** argv) {
  begin_at(MPI_THREAD_FUNNELED, &argc, &argv);
  omp_set_dynamic(0), omp_set_num_threads(3);
  long sums[3] = {0};
#pragma omp parallel shared(sums)
  {
    const int self = omp_get_thread_num();
    for (int round = 0; round < 2; ++round) {
#pragma omp master
      line();
      if (self == 1) for (volatile int i = 0; i < 3000000; ++i) { }
      sums[self] += 10 * (round + 1) + self;
#pragma omp barrier
      long all = 0;
      const long own = sums[0] + sums[1] + sums[2];
#pragma omp master
      {
        MPI_Allreduce(&own, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        CHECK(all == 2 * (round == 0 ? 33 : 96), "%ld", all);
      }
#pragma omp barrier
    }
  }
  return finish();
}
