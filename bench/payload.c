// Holds as many MiB per rank as it is told, half of them packable, and waits for a checkpoint or its end.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char** argv) {
  const size_t bytes = (size_t)atol(argv[1]) << 20;
  const int steps = atoi(argv[2]);
  int me, sum;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  unsigned long state = 88172645463325252ul + (unsigned long)me;
  unsigned long* const data = malloc(bytes);
  for (size_t i = 0; i < bytes / sizeof *data; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    data[i] = i % 2 ? state : i;
  }
  const struct timespec pause = {0, 2000000};
  for (int k = 0; k < steps; ++k) {
    MPI_Allreduce(&k, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0) printf("step %d of %d\n", k + 1, steps), fflush(stdout);
    nanosleep(&pause, NULL);
  }
  if (me == 0) printf("checksum %016lx\n", data[bytes / 16]), fflush(stdout);
  MPI_Finalize();
  return 0;
}
