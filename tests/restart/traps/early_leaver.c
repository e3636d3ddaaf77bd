// A rank leaves a barrier before what it sent for it has left: its messages queue behind others that nobody receives yet, and
// go on only while it calls MPI. It sleeps instead, and a checkpoint comes while the other one is in the barrier still: a
// rank that is parked makes progress until all are (INV-27).
#include "../../mpi/programs/check.h"

enum { messages = 12000 };      // more than an MPI puts into memory that ranks share

int main(int argc, char** argv) {
  begin(&argc, &argv);
  static int out[messages], in[messages];
  static MPI_Request request[messages];
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  for (int k = 0; k < steps; ++k) {
    fill(out, messages, me, right, k);
    for (int i = 0; i < messages; ++i) OK(MPI_Isend(&out[i], 1, MPI_INT, right, 0, MPI_COMM_WORLD, &request[i]));
    MPI_Barrier(MPI_COMM_WORLD);
    const struct timespec pause = {0, 50000000};
    nanosleep(&pause, NULL);
    for (int i = 0; i < messages; ++i) OK(MPI_Recv(&in[i], 1, MPI_INT, left, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    OK(MPI_Waitall(messages, request, MPI_STATUSES_IGNORE));
    SAME(in, messages, left, me, k);
    step(k);
  }
  return finish();
}
