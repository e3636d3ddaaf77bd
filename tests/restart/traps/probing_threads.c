// Threads that probe for and receive what is in the air, all on one communicator, each with a tag of its own or all with the
// same: after a checkpoint they find it among the drained messages, all at once, and one may take what another has found.
#include "../../mpi/programs/check.h"

enum { threads = 4, messages = 200 };

static pthread_barrier_t receiving_begins, receiving_ends;

/// In every other step all threads share a tag, and all messages are alike. Open MPI 4.1.4 looks at what a probe has found
/// when another thread may have received it already: the length is that of anything.
#ifdef OPEN_MPI
static int is_shared(int k) { return (void)k, 0; }
#else
static int is_shared(int k) { return k % 2 == 0; }
#endif
static int tag_in(int k, int thread) { return is_shared(k) ? threads : thread; }
static int length_in(int k, int i) { return is_shared(k) ? 1 : 1 + i % 4; }

static void* receive(void* arg) {
  const int id = *(int*)arg, left = (me + ranks - 1) % ranks;
  for (int k = 0; k < steps; ++k) {
    pthread_barrier_wait(&receiving_begins);
    const int tag = tag_in(k, id);
    for (int i = 0; i < messages; ++i) {
      int in[4] = {-1, -1, -1, -1}, n = -1, there = 0;
      MPI_Status status;
      if (i % 2) OK(MPI_Probe(left, tag, MPI_COMM_WORLD, &status));
      else while (!there) OK(MPI_Iprobe(left, tag, MPI_COMM_WORLD, &there, &status));
      OK(MPI_Get_count(&status, MPI_INT, &n));
      CHECK(n == length_in(k, i) && status.MPI_TAG == tag && status.MPI_SOURCE == left, "%d ints, tag %d", n, status.MPI_TAG);
      OK(MPI_Recv(in, 4, MPI_INT, left, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
      if (!is_shared(k)) CHECK(in[i % 4] == k * messages + i, "%d", in[i % 4]);
    }
    pthread_barrier_wait(&receiving_ends);
  }
  return NULL;
}

int main(int argc, char** argv) {
  static int numbers[threads], out[threads][messages][4];
  static MPI_Request requests[threads * messages];
  pthread_t ids[threads];
  const int multiple = begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE) == MPI_THREAD_MULTIPLE;
  const int right = (me + 1) % ranks;
  CHECK(multiple);
  pthread_barrier_init(&receiving_begins, NULL, threads + 1);
  pthread_barrier_init(&receiving_ends, NULL, threads + 1);
  for (int t = 0; multiple && t < threads; ++t) numbers[t] = t, pthread_create(&ids[t], NULL, receive, &numbers[t]);
  for (int k = 0; multiple && k < steps; ++k) {
    for (int t = 0; t < threads; ++t)
      for (int i = 0; i < messages; ++i) {
        for (int j = 0; j < 4; ++j) out[t][i][j] = k * messages + i;
        OK(MPI_Isend(out[t][i], length_in(k, i), MPI_INT, right, tag_in(k, t), MPI_COMM_WORLD, &requests[t * messages + i]));
      }
    if (me == 0) got_int(k);
    step(k);                         // a checkpoint finds all of them in the air
    pthread_barrier_wait(&receiving_begins);
    pthread_barrier_wait(&receiving_ends);
    OK(MPI_Waitall(threads * messages, requests, MPI_STATUSES_IGNORE));
  }
  for (int t = 0; multiple && t < threads; ++t) pthread_join(ids[t], NULL);
  return finish();
}
