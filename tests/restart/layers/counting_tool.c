// A tracing tool, as they are written: a library that defines MPI functions, counts, and calls the functions named PMPI_.
// It has a communicator of its own, on which the ranks' counts are added, and prints them at the end.
#include <mpi.h>
#include <stdio.h>

enum { sends, receives, started, waits, reductions, barriers, kinds };
static const char* const names[kinds] = {"MPI_Send", "MPI_Recv", "MPI_Isend", "MPI_Wait", "MPI_Allreduce", "MPI_Barrier"};
static long counts[kinds];
static long bytes_sent;
static MPI_Comm own = MPI_COMM_NULL;

static void count_bytes(int n, MPI_Datatype type) {
  int size = 0;
  PMPI_Type_size(type, &size);
  bytes_sent += (long)n * size;
}

int MPI_Init(int* argc, char*** argv) {
  const int rc = PMPI_Init(argc, argv);
  PMPI_Comm_dup(MPI_COMM_WORLD, &own);
  return rc;
}

int MPI_Send(const void* buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm) {
  ++counts[sends], count_bytes(n, type);
  return PMPI_Send(buffer, n, type, to, tag, comm);
}

int MPI_Recv(void* buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status* status) {
  ++counts[receives];
  return PMPI_Recv(buffer, n, type, from, tag, comm, status);
}

int MPI_Isend(const void* buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request* request) {
  ++counts[started], count_bytes(n, type);
  return PMPI_Isend(buffer, n, type, to, tag, comm, request);
}

int MPI_Wait(MPI_Request* request, MPI_Status* status) {
  ++counts[waits];
  return PMPI_Wait(request, status);
}

int MPI_Allreduce(const void* in, void* out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  ++counts[reductions];
  return PMPI_Allreduce(in, out, n, type, op, comm);
}

/// Communicates by itself: the counts of all ranks so far.
int MPI_Barrier(MPI_Comm comm) {
  long all = 0;
  ++counts[barriers];
  PMPI_Allreduce(&counts[barriers], &all, 1, MPI_LONG, MPI_SUM, own);
  int ranks = 0;
  PMPI_Comm_size(own, &ranks);
  if (all != ranks * counts[barriers]) printf("result tool: %ld barriers, not %ld\n", all, ranks * counts[barriers]);
  return PMPI_Barrier(comm);
}

int MPI_Finalize(void) {
  long all[kinds + 1], mine[kinds + 1];
  int rank = 0;
  for (int i = 0; i < kinds; ++i) mine[i] = counts[i];
  mine[kinds] = bytes_sent;
  PMPI_Reduce(mine, all, kinds + 1, MPI_LONG, MPI_SUM, 0, own);
  PMPI_Comm_rank(own, &rank);
  for (int i = 0; rank == 0 && i < kinds; ++i) printf("result tool: %s %ld\n", names[i], all[i]);
  if (rank == 0) printf("result tool: %ld bytes sent\n", all[kinds]), fflush(stdout);
  PMPI_Comm_free(&own);
  return PMPI_Finalize();
}
