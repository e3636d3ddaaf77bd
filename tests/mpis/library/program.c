/* One rank of the toy MPI: argument: seconds that it takes. */
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  const int tenths = argc > 1 ? 10 * atoi(argv[1]) : 0;
  int rank = -1, size = -1, sum = -1;
  if (MPI_Init(&argc, &argv) != MPI_SUCCESS) return 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  puts("begun");
  fflush(stdout);
  for (int i = 0; i <= tenths; ++i) {
    const int mine = i;
    MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const struct timespec tenth = {0, tenths != 0 ? 100000000 : 0};
    nanosleep(&tenth, NULL);
  }
  printf("rank %d of %d, sum %d\n", rank, size, sum);
  return MPI_Finalize();
}
