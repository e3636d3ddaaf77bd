// Threads that use one communicator at once, each with a tag of its own, while the lines are met.
// ranks: 2
#include "pair.h"

#include <pthread.h>

enum { threads = 4 };
static MPI_Comm shared;
static int stop;
static long rounds[threads];

static void* body(void* index) {
  const long self = (long)index;
  for (long i = 0, more = 1; more; ++i) {
    // The first rank says whether it goes on.
    long out[3] = {i, self, me == 0 ? !__atomic_load_n(&stop, __ATOMIC_SEQ_CST) : 0}, got[3] = {-1, -1, -1};
    MPI_Sendrecv(out, 3, MPI_LONG, other(), (int)self, got, 3, MPI_LONG, other(), (int)self, shared, MPI_STATUS_IGNORE);
    CHECK(got[0] == i && got[1] == self, "%ld %ld", got[0], got[1]);
    more = me == 0 ? out[2] : got[2];
    __atomic_store_n(&rounds[self], i + 1, __ATOMIC_SEQ_CST);
  }
  return NULL;
}
static void go_on(void) {
  for (int k = 0; k < threads; ++k) {
    const long before = __atomic_load_n(&rounds[k], __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&rounds[k], __ATOMIC_SEQ_CST) < before + 5) usleep(1000);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  pthread_t all[threads];
  MPI_Comm_dup(MPI_COMM_WORLD, &shared);
  for (long k = 0; k < threads; ++k) pthread_create(&all[k], NULL, body, (void*)k);
  go_on(), line(), go_on(), line(), go_on();
  together();
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  for (int k = 0; k < threads; ++k) pthread_join(all[k], NULL);
  MPI_Comm_free(&shared);
  return finish();
}
