// A message that was matched by a probe is overtaken: later ones with its tag are received before it. The second message is sent
// synchronously and was received; the first, of the other pair, is sent synchronously and was not. The checkpoint comes before the
// senders have asked. The one is complete, the other is not, and nobody waits for ever.
// hunt: ranks=2 modes=plain,resume,restart,twice
#include "hold.h"

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank, value = 0, told = 0, values[4] = {1, 2, 3, 4}, flag = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) {
    MPI_Request sent[4];
    MPI_Isend(&values[0], 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &sent[0]);
    MPI_Issend(&values[1], 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &sent[1]);
    MPI_Issend(&values[2], 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &sent[2]);
    MPI_Isend(&values[3], 1, MPI_INT, 1, 8, MPI_COMM_WORLD, &sent[3]);
    MPI_Recv(&told, 1, MPI_INT, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    hold(0);
    MPI_Wait(&sent[1], MPI_STATUS_IGNORE);        // its receive was there before the checkpoint
    MPI_Request_get_status(sent[2], &flag, MPI_STATUS_IGNORE);
    printf("FINAL rank 0: the matched one is %s\n", flag ? "complete" : "open");
    fflush(stdout);
    MPI_Send(&told, 1, MPI_INT, 1, 10, MPI_COMM_WORLD);
    MPI_Waitall(4, sent, MPI_STATUSES_IGNORE);
    printf("FINAL rank 0: done\n");
  } else {
    MPI_Message first, third;
    MPI_Mprobe(0, 7, MPI_COMM_WORLD, &first, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    int sum = value;
    MPI_Mprobe(0, 8, MPI_COMM_WORLD, &third, MPI_STATUS_IGNORE);
    MPI_Recv(&value, 1, MPI_INT, 0, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    sum = sum * 10 + value;
    MPI_Send(&told, 1, MPI_INT, 0, 9, MPI_COMM_WORLD);
    hold(1);
    MPI_Recv(&told, 1, MPI_INT, 0, 10, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Mrecv(&value, 1, MPI_INT, &first, MPI_STATUS_IGNORE);
    sum = sum * 10 + value;
    MPI_Mrecv(&value, 1, MPI_INT, &third, MPI_STATUS_IGNORE);
    printf("FINAL rank 1: %d\n", sum * 10 + value);
  }
  MPI_Finalize();
  return 0;
}
