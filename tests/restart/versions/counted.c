// Steps on two ranks that are few bytes in an image: a message around the ring, a sum over a communicator of its own, a derived type.
//   counted STEPS
// Prints "step I of STEPS" and, at the end, "checksum X", which does not depend on where it was interrupted.
#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static unsigned long long mix(unsigned long long sum, unsigned long long value) {
  return (sum ^ value) * 0x100000001b3ull;
}

static void pause_for_a_moment(void) {
  const struct timespec moment = {0, 20 * 1000 * 1000};
  nanosleep(&moment, NULL);
}

int main(int argc, char** argv) {
  const int steps = argc > 1 ? atoi(argv[1]) : 10;
  int rank = 0, size = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Comm own;
  MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &own);
  MPI_Datatype pair;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  unsigned long long sum = 0xcbf29ce484222325ull;
  for (int step = 1; step <= steps; ++step) {
    const int sent[2] = {step, rank};
    int got[2] = {0, 0}, total = 0;
    MPI_Status status;
    MPI_Request request;
    MPI_Irecv(got, 1, pair, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &request);
    MPI_Send(sent, 1, pair, (rank + 1) % size, step % 100, MPI_COMM_WORLD);
    MPI_Wait(&request, &status);
    MPI_Allreduce(&got[1], &total, 1, MPI_INT, MPI_SUM, own);
    sum = mix(mix(mix(sum, (unsigned)got[0]), (unsigned)status.MPI_TAG), (unsigned)total);
    if (rank == 0) {
      printf("step %d of %d\n", step, steps);
      fflush(stdout);
    }
    pause_for_a_moment();
  }
  unsigned long long all = 0;
  MPI_Reduce(&sum, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, own);
  MPI_Bcast(&all, 1, MPI_UNSIGNED_LONG_LONG, 0, own);
  MPI_Type_free(&pair);
  MPI_Comm_free(&own);
  if (rank == 0) printf("checksum %016llx\n", mix(all, (unsigned)size));
  MPI_Finalize();
  return 0;
}
