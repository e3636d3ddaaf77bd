// What Open MPI keeps longer than it should, or not long enough: communicators that are freed while a request is of them
// that nobody asks for any more; and the topology of a communicator's parent, by whose neighbours it reads arrays.
#include "../../mpi/programs/check.h"

enum { directions = 8, kept = 4, each = 3 };

/// An intercommunicator whose number, one that was free, is below that of the communicator that it is made of.
static MPI_Comm between(MPI_Comm* half) {
  MPI_Comm holes[2], made;
  for (int i = 0; i < 2; ++i) OK(MPI_Comm_dup(MPI_COMM_WORLD, &holes[i]));
  OK(MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, half));
  for (int i = 0; i < 2; ++i) OK(MPI_Comm_free(&holes[i]));
  OK(MPI_Intercomm_create(*half, 0, MPI_COMM_WORLD, 1 - me % 2, 7, &made));
  return made;
}

static void free_with_a_send(int k) {
  static int data[2];
  MPI_Comm half, inter = between(&half);
  MPI_Request request;
  data[k % 2] = k;
  if (me == 0) {
    OK(MPI_Issend(&data[k % 2], 1, MPI_INT, 0, 1, inter, &request));
    OK(MPI_Request_free(&request));
  } else if (me == 1) {
    int in = 0;
    OK(MPI_Recv(&in, 1, MPI_INT, 0, 1, inter, MPI_STATUS_IGNORE));
    got_int(in);
  }
  OK(MPI_Barrier(MPI_COMM_WORLD));
  OK(MPI_Comm_free(&inter));
  OK(MPI_Comm_free(&half));
}

/// Communicators that are made, and may lie, where freed ones were.
static void use_others(int k) {
  static MPI_Comm comms[kept][each];
  MPI_Comm* const c = comms[k % kept];
  for (int i = 0; i < each; ++i) {
    if (k >= kept) OK(MPI_Comm_free(&c[i]));
    OK(MPI_Comm_dup(MPI_COMM_WORLD, &c[i]));
  }
  for (int i = 0; i < kept * each && i < k * each; ++i) {
    int in = -1;
    OK(MPI_Sendrecv(&k, 1, MPI_INT, (me + 1) % ranks, i, &in, 1, MPI_INT, (me + ranks - 1) % ranks, i,
                    comms[i / each][i % each], MPI_STATUS_IGNORE));
    CHECK(in == k);
  }
}

static void child_of_a_grid(void) {
  int dims[directions], periods[directions], counts[2 * directions], places[2 * directions], out[8], in[8];
  MPI_Datatype types[2 * directions];
  MPI_Comm grid, made;
  MPI_Group all;
  MPI_Request request;
  for (int i = 0; i < directions; ++i) dims[i] = i == 0 ? ranks : 1, periods[i] = 1;
  for (int i = 0; i < 2 * directions; ++i) counts[i] = 1, places[i] = i * (int)sizeof *out, types[i] = MPI_INT;
  for (int i = 0; i < 8; ++i) out[i] = me;
  OK(MPI_Cart_create(MPI_COMM_WORLD, directions, dims, periods, 0, &grid));
  OK(MPI_Comm_group(grid, &all));
  OK(MPI_Comm_create_group(grid, all, 3, &made));
  OK(MPI_Ialltoallw(out, counts, places, types, in, counts, places, types, made, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  for (int i = 0; i < ranks; ++i) CHECK(in[i] == i);
  OK(MPI_Group_free(&all));
  OK(MPI_Comm_free(&made));
  OK(MPI_Comm_free(&grid));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  for (int k = 0; k < steps; ++k) {
    free_with_a_send(k);
    use_others(k);
    child_of_a_grid();
    step(k);
  }
  return finish();
}
