// The last thing before MPI_Finalize is a buffered send of a message that is too large to leave at once; who receives it
// comes late. Natively MPI_Finalize completes it.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { count = 1 << 18, steps = 40 };

int main(int argc, char** argv) {
  int me = 0, wrong = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  int* const data = malloc(count * sizeof *data);
  const int room = count * (int)sizeof *data + MPI_BSEND_OVERHEAD;
  MPI_Buffer_attach(malloc((size_t)room), room);
  for (int i = 0; i < count; ++i) data[i] = me == 0 ? i * 3 : -1;
  if (me == 0) MPI_Bsend(data, count, MPI_INT, 1, 5, MPI_COMM_WORLD);
  if (me == 1) {
    for (int k = 0; k < steps; ++k) {
      const struct timespec pause = {0, 25000000};
      nanosleep(&pause, NULL);
      printf("step %d of %d\n", k + 1, steps), fflush(stdout);
    }
    MPI_Recv(data, count, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < count; ++i) wrong += data[i] != i * 3;
    printf("result: %d wrong\n", wrong), fflush(stdout);
  }
  MPI_Finalize();
  return wrong != 0;
}
