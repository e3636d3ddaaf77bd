// A thousand communicators made, a hundred of them kept, and freed.
#include "../../mpi/programs/check.h"

enum { kept = 100 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm all[kept];
  for (int i = 0; i < kept; ++i) MPI_Comm_split(MPI_COMM_WORLD, me % (1 + i % 3), i % 2 ? me : -me, &all[i]);
  for (int k = 0; k < steps; ++k) {
    for (int i = 0; i < 1000 / steps + 1; ++i) {
      MPI_Comm passing;
      int sum = 0, size = 0;
      const int at = (k * 37 + i) % kept;
      MPI_Comm_dup(all[at], &passing);
      MPI_Comm_size(passing, &size);
      MPI_Allreduce(&k, &sum, 1, MPI_INT, MPI_SUM, passing);
      CHECK(sum == k * size);
      MPI_Comm_free(&all[at]);
      all[at] = passing;
    }
    step(k);
  }
  for (int i = 0; i < kept; ++i) MPI_Comm_free(&all[i]);
  return finish();
}
