// More sends whose requests are freed at once than there are ids of requests; receives likewise, seen by their contents.
#include "../../mpi/programs/check.h"

enum { batch = 25000 };

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int to = (me + 1) % ranks, from = (me + ranks - 1) % ranks;
  static int out[batch], in[64];
  for (int k = 0; k < steps; ++k) {
    int got = -1;
    for (int i = 0; i < batch; ++i) {
      MPI_Request r;
      out[i] = k * 7 + i;
      MPI_Isend(&out[i], 1, MPI_INT, to, 1, MPI_COMM_WORLD, &r);
      MPI_Request_free(&r);
      MPI_Recv(&got, 1, MPI_INT, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      CHECK(got == k * 7 + i);
    }
    for (int i = 0; i < 64; ++i) {
      MPI_Request r;
      MPI_Irecv(&in[i], 1, MPI_INT, from, 2, MPI_COMM_WORLD, &r);
      MPI_Request_free(&r);
    }
    for (int i = 0; i < 64; ++i) MPI_Send(&out[i], 1, MPI_INT, to, 2, MPI_COMM_WORLD);
    // Order of messages: when this one is there, those before it are.
    MPI_Sendrecv(&k, 1, MPI_INT, to, 2, &got, 1, MPI_INT, from, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < 64; ++i) CHECK(in[i] == k * 7 + i);
    step(k);
  }
  return finish();
}
