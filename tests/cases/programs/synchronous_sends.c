// Synchronous sends of all forms whose receives have not begun when the checkpoint comes: each is complete when its own
// receive has begun, and not before, whatever other messages with the same or other tags were sent between.
// hunt: ranks=3 modes=plain,resume,restart,twice
#include "hold.h"

enum { first, second, third, other_tag, persistent, to_self, inter, matched, forms };
static const char* const names[] = {"first", "second", "third", "other tag", "persistent", "to self", "inter", "matched"};
static MPI_Request requests[forms];

/// Whether each is complete, as far as this can be asked without waiting; by a different call for each.
static void show(const char* when) {
  char line[512];
  int n = snprintf(line, sizeof line, "FINAL %s:", when);
  for (int i = 0; i < forms; ++i) {
    int flag = 1, index = 0;
    MPI_Status status;
    MPI_Request copy[2] = {requests[i], MPI_REQUEST_NULL};
    if (requests[i] == MPI_REQUEST_NULL) flag = 2;
    else MPI_Request_get_status(copy[0], &flag, &status);
    if (flag == 0) MPI_Testany(2, copy, &index, &flag, &status);
    if (flag == 0) MPI_Testall(2, copy, &flag, MPI_STATUSES_IGNORE);
    n += snprintf(line + n, sizeof line - (size_t)n, " %s %s", names[i], flag == 0 ? "open" : "complete");
  }
  printf("%s\n", line);        // at once: both ranks write
  fflush(stdout);
}

/// Rank 1 is to receive a message with this tag; rank 0 waits for the send whose it is.
static void let_receive(int tag, int form) {
  MPI_Send(&tag, 1, MPI_INT, 1, 100, MPI_COMM_WORLD);
  MPI_Wait(&requests[form], MPI_STATUS_IGNORE);
  if (form == persistent) MPI_Request_free(&requests[form]);
}

static void send_all(MPI_Comm between) {
  static int values[forms] = {10, 11, 12, 13, 14, 15, 16, 17}, plain[2] = {20, 21};
  MPI_Request eager[2];
  MPI_Issend(&values[matched], 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &requests[matched]);
  int told = 0;
  MPI_Recv(&told, 1, MPI_INT, 1, 101, MPI_COMM_WORLD, MPI_STATUS_IGNORE);      // rank 1 has matched it
  MPI_Issend(&values[first], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[first]);
  MPI_Isend(&plain[0], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &eager[0]);
  MPI_Issend(&values[second], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[second]);
  MPI_Issend(&values[other_tag], 1, MPI_INT, 1, 2, MPI_COMM_WORLD, &requests[other_tag]);
  MPI_Isend(&plain[1], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &eager[1]);
  MPI_Issend(&values[third], 1, MPI_INT, 1, 1, MPI_COMM_WORLD, &requests[third]);
  MPI_Ssend_init(&values[persistent], 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[persistent]);
  MPI_Start(&requests[persistent]);
  MPI_Issend(&values[to_self], 1, MPI_INT, 0, 4, MPI_COMM_SELF, &requests[to_self]);
  MPI_Issend(&values[inter], 1, MPI_INT, 0, 5, between, &requests[inter]);
  MPI_Waitall(2, eager, MPI_STATUSES_IGNORE);
  hold(0);
  show("at first");
  let_receive(1, first);
  show("after the first receive");
  let_receive(1, first);      // the eager one: the request is over already
  show("after an eager one");
  let_receive(1, second);
  let_receive(2, other_tag);
  show("after the second and the other tag");
  let_receive(3, persistent);
  let_receive(5, inter);
  let_receive(7, matched);
  int mine = 0;
  MPI_Recv(&mine, 1, MPI_INT, 0, 4, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  MPI_Wait(&requests[to_self], MPI_STATUS_IGNORE);
  show("but the third");
  let_receive(1, first);
  let_receive(1, third);
  show("at last");
  int end = -1;
  MPI_Send(&end, 1, MPI_INT, 1, 100, MPI_COMM_WORLD);
}

static void receive_all(MPI_Comm between) {
  MPI_Message message;
  MPI_Mprobe(0, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
  int tag = 0;
  MPI_Send(&tag, 1, MPI_INT, 0, 101, MPI_COMM_WORLD);
  hold(1);
  for (;;) {
    int value = 0;
    MPI_Recv(&tag, 1, MPI_INT, 0, 100, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (tag < 0) return;
    if (tag == 5) MPI_Recv(&value, 1, MPI_INT, 0, 5, between, MPI_STATUS_IGNORE);
    else if (tag == 7) MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    else MPI_Recv(&value, 1, MPI_INT, tag == 2 ? MPI_ANY_SOURCE : 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    printf("FINAL received %d\n", value);
    fflush(stdout);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm half, between;
  MPI_Comm_split(MPI_COMM_WORLD, rank == 0, rank, &half);
  MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, rank == 0 ? 1 : 0, 9, &between);
  for (int i = 0; i < forms; ++i) requests[i] = MPI_REQUEST_NULL;
  if (rank == 0) send_all(between);
  else if (rank == 1) receive_all(between);
  else hold(rank);
  MPI_Comm_free(&between);
  MPI_Comm_free(&half);
  MPI_Finalize();
  return 0;
}
