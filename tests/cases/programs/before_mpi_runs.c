// INV-89: calls on a communicator before MPI_Init: the job ends with the status that it has natively, and not by a signal.
// hunt: ranks=2 modes=plain
#include "hold.h"

int main(void) {
  const char* const rank = getenv("PMI_RANK") != NULL ? getenv("PMI_RANK") : getenv("OMPI_COMM_WORLD_RANK");
  int value = 0, sum = 0;
  if (rank != NULL && atoi(rank) == 0) MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_SELF);
  printf("FINAL went on\n");
  return 0;
}
