// A program with a tool between it and MPI: what it calls by the name MPI_ is counted there, what it calls as PMPI_ is not.
#include "check.h"

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  int out[300], in[300], sum = 0;
  for (int k = 0; k < steps; ++k) {
    MPI_Request r;
    const int n = 1 + k % 300;
    fill(out, n, me, 1, k);
    MPI_Isend(out, n, MPI_INT, right, k % 50, MPI_COMM_WORLD, &r);
    MPI_Recv(in, n, MPI_INT, left, k % 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&r, MPI_STATUS_IGNORE);
    SAME(in, n, left, 1, k);
    if (me == 0) MPI_Send(&k, 1, MPI_INT, ranks - 1, 99, MPI_COMM_WORLD);
    if (me == ranks - 1) PMPI_Recv(in, 1, MPI_INT, 0, 99, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Allreduce(&k, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == k * ranks);
    if (k % 7 == 0) MPI_Barrier(MPI_COMM_WORLD);
    step(k);
  }
  return finish();
}
