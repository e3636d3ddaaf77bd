// Says on which machine it is: host STEPS. Every rank asks at each step, and rank 0 prints the name. The kernel is asked
// before and after, because the process may be moved between two calls: one of its answers has to be MPI's.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char** argv) {
  char first[MPI_MAX_PROCESSOR_NAME], name[MPI_MAX_PROCESSOR_NAME];
  char before[MPI_MAX_PROCESSOR_NAME], after[MPI_MAX_PROCESSOR_NAME];
  int me = 0, length = 0, wrong = 0, any = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Get_processor_name(first, &length);
  for (int k = 0; k < (argc > 1 ? atoi(argv[1]) : 100); ++k) {
    const struct timespec pause = {0, 20000000};
    memset(name, 'x', sizeof name);
    length = -1;
    gethostname(before, sizeof before);
    wrong += MPI_Get_processor_name(name, &length) != MPI_SUCCESS || length != (int)strlen(name);
    gethostname(after, sizeof after);
    wrong += strcmp(name, before) != 0 && strcmp(name, after) != 0;
    MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0) printf("host %s, at first %s, %d wrong\n", name, first, any), fflush(stdout);
    nanosleep(&pause, NULL);
  }
  MPI_Finalize();
  return 0;
}
