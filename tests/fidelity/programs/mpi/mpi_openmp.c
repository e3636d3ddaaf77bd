// OpenMP and MPI: regions compute, the main thread reduces outside of them; thread-private values stay through the
// lines.
// ranks: 2
// flags: -fopenmp
#include "pair.h"

#include <omp.h>

static int kept;
#pragma omp threadprivate(kept)

int main(int argc, char** argv) {
  begin_at(MPI_THREAD_FUNNELED, &argc, &argv);
  omp_set_dynamic(0), omp_set_num_threads(3 + me);
#pragma omp parallel
  kept = 100 + omp_get_thread_num();
  for (int round = 0; round < 3; ++round) {
    long sum = 0, of_all = 0;
    int teams = 0;
#pragma omp parallel for schedule(dynamic, 50) reduction(+ : sum)
    for (int i = 0; i < 10000; ++i) sum += i;
#pragma omp parallel
    {
#pragma omp single
      teams = omp_get_num_threads();
      if (kept != 100 + omp_get_thread_num()) {
#pragma omp critical
        CHECK(!"thread-private values are kept", "%d", kept);
      }
    }
    CHECK(teams == 3 + me, "%d", teams);
    MPI_Allreduce(&sum, &of_all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(of_all == 2L * 49995000, "%ld", of_all);
    if (round < 2) line();
  }
  return finish();
}
