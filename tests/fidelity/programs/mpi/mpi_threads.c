// Threads that call MPI at once, each over a communicator of its own, with messages and collectives under way at the lines.
// ranks: 2
#include "fidelity.h"

#include <pthread.h>

enum { threads = 3 };
static int stop;
static MPI_Comm own[threads];
static long rounds[threads];

static void* body(void* extra) {
  const long self = (long)extra;
  int end = 0;
  for (long i = 0; !end; ++i) {
    long out[2] = {i, self}, in[2] = {-1, -1}, sum = 0;
    MPI_Request requests[2];
    MPI_Irecv(in, 2, MPI_LONG, (me + ranks - 1) % ranks, (int)self, own[self], &requests[0]);
    MPI_Isend(out, 2, MPI_LONG, (me + 1) % ranks, (int)self, own[self], &requests[1]);
    if (self == 1) usleep(300);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE), MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    CHECK(in[0] == i && in[1] == self, "%ld %ld", in[0], in[1]);
    MPI_Allreduce(&i, &sum, 1, MPI_LONG, MPI_SUM, own[self]);
    CHECK(sum == i * ranks, "%ld", sum);
    const int want = __atomic_load_n(&stop, __ATOMIC_SEQ_CST);
    MPI_Allreduce(&want, &end, 1, MPI_INT, MPI_MAX, own[self]);
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
  for (long k = 0; k < threads; ++k) MPI_Comm_dup(MPI_COMM_WORLD, &own[k]);
  for (long k = 0; k < threads; ++k) pthread_create(&all[k], NULL, body, (void*)k);
  go_on(), line(), go_on(), line(), go_on();
  MPI_Barrier(MPI_COMM_WORLD);                            // a rank that stops ends the rounds of the other
  __atomic_store_n(&stop, 1, __ATOMIC_SEQ_CST);
  for (int k = 0; k < threads; ++k) pthread_join(all[k], NULL), MPI_Comm_free(&own[k]);
  return finish();
}
