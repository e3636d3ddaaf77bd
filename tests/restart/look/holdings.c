// Holds known numbers of MPI objects, and has messages on the way to rank 1, until it is stopped:
//   3 communicators, 2 groups, 4 datatypes, 1 operation, 1 error handler, 2 infos, 1 request; 5 messages of 800 bytes
#include <mpi.h>
#include <stdio.h>

static void add(void* in, void* out, int* n, MPI_Datatype* type) {
  (void)in, (void)out, (void)n, (void)type;
}
static void handle(MPI_Comm* comm, int* code, ...) { (void)comm, (void)code; }

int main(int argc, char** argv) {
  MPI_Comm comms[3];
  MPI_Group groups[2];
  MPI_Datatype types[4];
  MPI_Info infos[2];
  MPI_Op op;
  MPI_Errhandler handler;
  MPI_Request request;
  double sent[100] = {0};
  int me = 0, never = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  for (int k = 0; k < 3; ++k) MPI_Comm_dup(MPI_COMM_WORLD, &comms[k]);
  for (int k = 0; k < 2; ++k) MPI_Comm_group(MPI_COMM_WORLD, &groups[k]);
  for (int k = 0; k < 4; ++k) MPI_Type_contiguous(k + 1, MPI_INT, &types[k]), MPI_Type_commit(&types[k]);
  for (int k = 0; k < 2; ++k) MPI_Info_create(&infos[k]);
  MPI_Op_create(add, 1, &op);
  MPI_Comm_create_errhandler(handle, &handler);
  MPI_Irecv(&never, 1, MPI_INT, MPI_ANY_SOURCE, 99, comms[0], &request);
  for (int k = 0; k < 5; ++k)
    if (me == 0) MPI_Send(sent, 100, MPI_DOUBLE, 1, k, MPI_COMM_WORLD);
  if (me == 0) printf("held\n"), fflush(stdout);
  for (;;) MPI_Barrier(MPI_COMM_WORLD);
}
