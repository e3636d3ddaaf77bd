// MPI_Init_thread with MPI_THREAD_MULTIPLE: several threads in MPI at once, each on communicators of its own over the
// same ranks. They run apart from each other; those of threads_multiple.c wait for each other.
#include "check.h"

enum { threads = 3 };
static MPI_Comm comms[threads];
static uint64_t sums[threads];
static __thread int own;

static void* work(void* argument) {
  const int t = (int)(intptr_t)argument;
  own = t + 1;
  for (int k = 0; k < steps; ++k) {
    int in = -1, out = me + 10 * k + t, sum = 0;
    MPI_Request r[2];
    MPI_Irecv(&in, 1, MPI_INT, (me + ranks - 1) % ranks, t, comms[t], &r[0]);
    MPI_Isend(&out, 1, MPI_INT, (me + 1) % ranks, t, comms[t], &r[1]);
    MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
    CHECK(in == (me + ranks - 1) % ranks + 10 * k + t);
    MPI_Allreduce(&out, &sum, 1, MPI_INT, MPI_SUM, comms[t]);
    CHECK(sum == ranks * (ranks - 1) / 2 + ranks * (10 * k + t));
    CHECK(own == t + 1);
    sums[t] = sums[t] * 31 + (uint64_t)(in + sum);
    if (t == 0) step(k);
  }
  return NULL;
}

int main(int argc, char** argv) {
  const int provided = begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  if (provided < MPI_THREAD_MULTIPLE) {
    if (me == 0) printf("checksum 0: this MPI has no MPI_THREAD_MULTIPLE\n");
    MPI_Finalize();
    return 0;
  }
  pthread_t made[threads];
  for (int t = 0; t < threads; ++t) MPI_Comm_dup(MPI_COMM_WORLD, &comms[t]);
  for (int t = 1; t < threads; ++t) pthread_create(&made[t], NULL, work, (void*)(intptr_t)t);
  work(NULL);
  for (int t = 1; t < threads; ++t) pthread_join(made[t], NULL);
  for (int t = 0; t < threads; ++t) got(&sums[t], sizeof sums[t]), MPI_Comm_free(&comms[t]);
  return finish();
}
