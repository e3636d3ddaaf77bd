/* Passes a number around the ring, sums it in two halves of the job, and meets at a barrier. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char** argv) {
  int rank, size, all = 0;
  long from_left = -1, sum = 0;
  MPI_Comm half;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  const long own = rank;
  MPI_Sendrecv(&own, 1, MPI_LONG, (rank + 1) % size, 7, &from_left, 1, MPI_LONG, (rank + size - 1) % size, 7, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  MPI_Allreduce(&from_left, &sum, 1, MPI_LONG, MPI_SUM, half);
  for (int i = 0; i < 3; ++i) MPI_Barrier(MPI_COMM_WORLD);
  int mine = (int)sum;
  MPI_Reduce(&mine, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0) printf("sum %d\n", all);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
