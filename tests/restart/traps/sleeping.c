// Checkpoints find the threads asleep in system calls: nanosleep, poll, read of a pipe. No call ends before its time, and
// none with EINTR.
#include "../../mpi/programs/check.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <unistd.h>

static int fds[2];

static void* writer(void* unused) {
  (void)unused;
  for (int k = 0; k < steps; ++k) {
    const struct timespec pause = {0, 30000000};
    CHECK(nanosleep(&pause, NULL) == 0);
    CHECK(write(fds[1], &k, sizeof k) == (ssize_t)sizeof k);
  }
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int got = -1;
  pthread_t other;
  CHECK(pipe(fds) == 0);
  pthread_create(&other, NULL, writer, NULL);
  for (int k = 0; k < steps; ++k) {
    CHECK(read(fds[0], &got, sizeof got) == (ssize_t)sizeof got);
    CHECK(got == k);
    CHECK(poll(NULL, 0, 10) == 0);
    MPI_Barrier(MPI_COMM_WORLD);
    step(k);
  }
  pthread_join(other, NULL);
  return finish();
}
