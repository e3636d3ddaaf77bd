// Waits, works or ends in functions that have names: named sleep | receive | work | abort.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void through_the_library(void (*then)(int), int argument);

static volatile int done;

__attribute__((noinline)) void own_sleep(int seconds) {
  sleep((unsigned)seconds);
  ++done;
}

__attribute__((noinline)) void own_receive(int tag) {
  int never;
  MPI_Recv(&never, 1, MPI_INT, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  ++done;
}

__attribute__((noinline)) void own_work(int steps) {
  for (int k = 0; k < steps * 1000; ++k) ++done;
}

__attribute__((noinline)) void own_abort(int status) {
  if (status != 0) abort();
  ++done;
}

int main(int argc, char** argv) {
  int me = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  const char* const what = argc > 1 ? argv[1] : "";
  void (*const does)(int) = strcmp(what, "sleep") == 0     ? own_sleep
                            : strcmp(what, "receive") == 0 ? own_receive
                            : strcmp(what, "work") == 0    ? own_work
                                                           : own_abort;
  printf("rank %d: process %d, function %p\n", me, (int)getpid(), (void*)does);
  fflush(stdout);
  for (;;) {
    through_the_library(does, 60);
    MPI_Barrier(MPI_COMM_WORLD);
  }
}
