// Many outstanding requests. A step leaves either receives pending, whose messages the next one sends, or sends, whose
// messages it receives. Arguments after check.h's: REQUESTS [SENDS], where a step is to leave fewer sends than receives.
#include "check.h"

static int requests = 2000, sends;
static int *out, *in;
static MPI_Request* request;

static int is_receiving(int k) { return k % 2 == 0; }
static int outstanding(int k) { return is_receiving(k) ? requests : sends; }

static void begin_step(int k) {
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks, n = outstanding(k);
  fill(out, n, me, right, k);
  memset(in, 0xff, (size_t)n * sizeof *in);
  for (int i = 0; i < n; ++i)
    if (is_receiving(k)) OK(MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &request[i]));
    else OK(MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &request[i]));
}

/// In the order in which they were started: any other makes the MPI itself search.
static void end_step(int k) {
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks, n = outstanding(k);
  for (int i = 0; i < n; ++i)
    if (is_receiving(k)) OK(MPI_Send(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD));
    else OK(MPI_Recv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  OK(MPI_Waitall(n, request, MPI_STATUSES_IGNORE));
  SAME(in, n, left, me, k);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (argc > 3) requests = atoi(argv[3]);
  sends = argc > 4 ? atoi(argv[4]) : requests;
  out = malloc((size_t)requests * sizeof *out);
  in = malloc((size_t)requests * sizeof *in);
  request = malloc((size_t)requests * sizeof *request);
  for (int k = 0; k < steps; ++k) {
    begin_step(k);
    MPI_Barrier(MPI_COMM_WORLD);        // all receives of this step are posted, or all sends started
    step(k);
    end_step(k);
  }
  free(request);
  free(in);
  free(out);
  return finish();
}
