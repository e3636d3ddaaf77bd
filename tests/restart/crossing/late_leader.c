// Two groups make an intercommunicator; the leader of the second comes late: when the file exists that the argument names.
// Until then rank 0 waits in MPI_Intercomm_create.
#include "../../mpi/programs/check.h"

#include <unistd.h>

static void await(const char* file) {
  const struct timespec pause = {0, 5000000};
  while (access(file, F_OK) != 0) nanosleep(&pause, NULL);
}

int main(int argc, char** argv) {
  const char* const file = argc > 1 ? argv[1] : "";
  int none = 1;
  begin(&none, &argv);
  MPI_Comm half, both[2];
  int sum = 0;
  OK(MPI_Comm_split(MPI_COMM_WORLD, me % 2, me, &half));
  OK(MPI_Barrier(MPI_COMM_WORLD));
  if (me == 0) printf("step 1 of 1\n"), fflush(stdout);
  if (me % 2 == 1) await(file);
  for (int i = 0; i < 2; ++i) {
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - me % 2, 1000 + i, &both[i]));
    OK(MPI_Allreduce(&me, &sum, 1, MPI_INT, MPI_SUM, both[i]));
    got_int(sum);
  }
  for (int i = 0; i < 2; ++i) OK(MPI_Comm_free(&both[i]));
  OK(MPI_Comm_free(&half));
  return finish();
}
