// errno of the main thread and of one that computes: no checkpoint changes it.
#include "fidelity.h"

#include <pthread.h>

static volatile int phase;
static void* computes(void* unused) {
  errno = 1234;
  int changed = 0;
  for (volatile unsigned long work = 0; phase == 0; ++work) changed += errno != 1234;
  CHECK(changed == 0, "%d times", changed);
  return unused;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t thread;
  pthread_create(&thread, NULL, computes, NULL);
  for (int round = 0; round < 2; ++round) line();
  phase = 1;
  pthread_join(thread, NULL);
  errno = 77;
  MPI_Barrier(MPI_COMM_WORLD);
  return finish();
}
