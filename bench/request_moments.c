// Situations that a checkpoint's request can meet. The last rank is the straggler. Every rank prints a line, "ready PID",
// right before it enters the call, or begins to compute, where the request is meant to meet it. The job stays until it
// is killed: it is asked how long its checkpoint took.
//
//   collectives       collectives and nothing else
//   entered SECONDS   the straggler computes for so long; the others wait in a barrier for it
//   apart SECONDS     the same, but they wait for a message: nobody has entered the barrier that comes afterwards
//
// usage: request_moments collectives|entered|apart [SECONDS]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int me, ranks;

static void ready(void) {
  printf("ready %d\n", getpid());
  fflush(stdout);
}

static void compute(double seconds) {
  const double end = MPI_Wtime() + seconds;
  volatile double x = 1.0;
  while (MPI_Wtime() < end)
    for (int i = 0; i < 1000; ++i) x = x * 0.999999 + 1e-6;
}

static _Noreturn void collectives(void) {
  static int in[256], out[256];
  ready();
  for (;;) {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Bcast(in, 256, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Reduce(in, out, 256, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Allreduce(in, out, 256, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  }
}

static _Noreturn void wait_for_straggler(int entered, double seconds) {
  const int straggler = ranks - 1;
  int word = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  ready();
  if (me == straggler) {
    compute(seconds);
    for (int r = 0; !entered && r < straggler; ++r) MPI_Send(&word, 1, MPI_INT, r, 0, MPI_COMM_WORLD);
  } else if (!entered) {
    MPI_Recv(&word, 1, MPI_INT, straggler, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (;;) pause();
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const char* const what = argc > 1 ? argv[1] : "";
  if (strcmp(what, "collectives") == 0) collectives();
  if (argc < 3 || (strcmp(what, "entered") != 0 && strcmp(what, "apart") != 0)) {
    if (me == 0) fprintf(stderr, "usage: request_moments collectives|entered|apart [SECONDS]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  wait_for_straggler(what[0] == 'e', atof(argv[2]));
}
