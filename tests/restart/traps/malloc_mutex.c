// Another thread is in malloc and free all the time: a checkpoint may park it with libc's lock held.
#include "../../mpi/programs/check.h"

#include <pthread.h>

static volatile int over;

static void* churn(void* seed) {
  unsigned state = (unsigned)(intptr_t)seed;
  void* held[64] = {NULL};
  while (!over) {
    state = state * 1103515245u + 12345u;
    const unsigned i = (state >> 16) % 64;
    free(held[i]);
    held[i] = malloc(16 + (state >> 8) % 5000);
    memset(held[i], (int)i, 16);
  }
  for (int i = 0; i < 64; ++i) free(held[i]);
  return NULL;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t other[2];
  for (int t = 0; t < 2; ++t) pthread_create(&other[t], NULL, churn, (void*)(intptr_t)(t + 1));
  for (int k = 0; k < steps; ++k) {
    char* const mine = malloc(100000);
    memset(mine, k, 100000);
    MPI_Comm copy;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    MPI_Barrier(copy);
    MPI_Comm_free(&copy);
    CHECK(mine[99999] == (char)k);
    free(mine);
    step(k);
  }
  over = 1;
  for (int t = 0; t < 2; ++t) pthread_join(other[t], NULL);
  return finish();
}
