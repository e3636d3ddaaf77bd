// Messages that are in flight at the checkpoint, in all the states that a message can be in: not matched, matched by a probe,
// matched by a posted receive, too large to have left its sender, synchronous; a receive that nothing matches.
// hunt: ranks=3 modes=plain,resume,restart,twice
#include "hold.h"

#include <string.h>

enum { small = 40, large = 1 << 20 };
static char big_out[large], big_in[large];

static void sender(void) {
  MPI_Request requests[4];
  static int values[small];
  memset(big_out, 7, sizeof big_out);
  MPI_Isend(big_out, large, MPI_CHAR, 1, 50, MPI_COMM_WORLD, &requests[0]);
  int synchronous = 4711, told = 0;
  MPI_Issend(&synchronous, 1, MPI_INT, 1, 51, MPI_COMM_WORLD, &requests[1]);
  MPI_Recv(&told, 1, MPI_INT, 1, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE);       // its receives are posted
  MPI_Isend(&values[0], 1, MPI_INT, 1, 52, MPI_COMM_WORLD, &requests[2]);
  for (int i = 0; i < small; ++i) values[i] = i, MPI_Send(&values[i], 1, MPI_INT, 1, i % 4, MPI_COMM_WORLD);
  int reply = 0;
  MPI_Irecv(&reply, 1, MPI_INT, 1, 61, MPI_COMM_WORLD, &requests[3]);
  hold(0);
  MPI_Send(&reply, 1, MPI_INT, 1, 62, MPI_COMM_WORLD);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  printf("FINAL the sender has %d\n", reply);
}

static void receiver(void) {
  MPI_Message message;
  MPI_Request posted;
  int early = -1, synchronous = 0, value, told = 0;
  MPI_Irecv(&early, 1, MPI_INT, 0, 52, MPI_COMM_WORLD, &posted);
  MPI_Send(&told, 1, MPI_INT, 0, 60, MPI_COMM_WORLD);
  MPI_Mprobe(0, 3, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  hold(1);
  MPI_Recv(&told, 1, MPI_INT, 0, 62, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
  long sum = value;
  for (int tag = 0; tag < 4; ++tag)
    for (int i = 0; i < small / 4 - (tag == 3); ++i) {
      MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      sum = sum * 31 % 1000003 + value;
    }
  MPI_Recv(&synchronous, 1, MPI_INT, 0, 51, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Recv(big_in, large, MPI_CHAR, 0, 50, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&posted, MPI_STATUS_IGNORE);
  MPI_Send(&synchronous, 1, MPI_INT, 0, 61, MPI_COMM_WORLD);
  printf("FINAL the receiver has %ld, %d, %d, %d\n", sum, early, synchronous, memcmp(big_in, big_in + 1, large - 1) == 0 && big_in[0] == 7);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank == 0) sender();
  else if (rank == 1) receiver();
  else hold(rank);
  MPI_Finalize();
  return 0;
}
