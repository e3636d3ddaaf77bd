// Many outstanding requests. A step leaves either receives pending, whose messages the next one sends, or sends, whose
// messages it receives. Argument after check.h's: REQUESTS.
#include "check.h"

static int requests = 2000;
static int *out, *in;
static MPI_Request* request;

static void begin_step(int k) {
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  fill(out, requests, me, right, k);
  memset(in, 0xff, (size_t)requests * sizeof *in);
  for (int i = 0; i < requests; ++i)
    if (k % 2 == 0) OK(MPI_Irecv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, &request[i]));
    else OK(MPI_Isend(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD, &request[i]));
}

/// In the order in which they were started: any other makes the MPI itself search.
static void end_step(int k) {
  const int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  for (int i = 0; i < requests; ++i)
    if (k % 2 == 0) OK(MPI_Send(&out[i], 1, MPI_INT, right, i, MPI_COMM_WORLD));
    else OK(MPI_Recv(&in[i], 1, MPI_INT, left, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  OK(MPI_Waitall(requests, request, MPI_STATUSES_IGNORE));
  SAME(in, requests, left, me, k);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (argc > 3) requests = atoi(argv[3]);
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
