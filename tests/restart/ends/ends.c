// Ends that are not MPI_Finalize: ends MODE [CODE]. Each ends the whole job, though only rank 0 goes there in most.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char** argv) {
  int rank, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const char* const mode = argc > 1 ? argv[1] : "abort";
  MPI_Comm copy;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == 0 && strcmp(mode, "abort") == 0) MPI_Abort(MPI_COMM_WORLD, argc > 2 ? atoi(argv[2]) : 1);
  if (rank == 0 && strcmp(mode, "abort_copy") == 0) MPI_Abort(copy, argc > 2 ? atoi(argv[2]) : 1);
  if (rank == 0 && strcmp(mode, "fatal") == 0) MPI_Send(&size, 1, MPI_INT, 77, 0, MPI_COMM_WORLD);
  if (strcmp(mode, "leave") == 0) exit(argc > 2 ? atoi(argv[2]) : 0);      // every rank, without MPI_Finalize
#ifdef MPI_ERRORS_ABORT
  if (strcmp(mode, "errors_abort") == 0) {
    MPI_Comm_set_errhandler(copy, MPI_ERRORS_ABORT);
    if (rank == 0) MPI_Send(&size, 1, MPI_INT, 77, 0, copy);
  }
#endif
  if (strcmp(mode, "exit") == 0) {
    MPI_Finalize();
    return argc > 2 ? atoi(argv[2]) : 0;
  }
  MPI_Barrier(MPI_COMM_WORLD);     // never left by the others
  printf("not ended\n");
  MPI_Finalize();
  return 0;
}
