// Partitioned messages of several threads at once: each marks some partitions as ready and asks for others, while one
// more thread waits for the request, and the calls of all meet in one request (MPI-4.0, 4.2.2: MPI_Pready and
// MPI_Parrived of different partitions may be called at the same time).
#include "check.h"

enum { threads = 3, kinds = 3, most_parts = 12, few = 5, big = 4000 };
static const int parts_of[kinds] = {threads, most_parts, most_parts}, ints_of[kinds] = {few, few, big};
static int *out[kinds], *in[kinds];
static MPI_Request sends[kinds], receives[kinds];
static pthread_barrier_t begins, ends;
static int multiple;

static void initialise(void) {
  for (int c = 0; c < kinds; ++c) {
    OK(MPI_Psend_init(out[c], parts_of[c], ints_of[c], MPI_INT, (me + 1) % ranks, c, MPI_COMM_WORLD, MPI_INFO_NULL,
                      &sends[c]));
    OK(MPI_Precv_init(in[c], parts_of[c], ints_of[c], MPI_INT, (me + ranks - 1) % ranks, c, MPI_COMM_WORLD,
                      MPI_INFO_NULL, &receives[c]));
  }
}

static void some_time(int id, int k) {
  static volatile double x;
  for (int i = 0; i < 500 * ((k + id + me) % 4); ++i) x = x * 0.5 + i;
  const struct timespec pause = {0, pause_ms * 200000L};
  if (pause_ms > 0 && (k + id) % 3 == 0) nanosleep(&pause, NULL);
}

/// A thread's share: every `threads`-th partition, by functions that change.
static void make_ready(int id, int k) {
  int mine[most_parts];
  for (int c = 0; c < kinds; ++c) {
    int n = 0;
    for (int p = id; p < parts_of[c]; p += threads) {
      fill(out[c] + p * ints_of[c], ints_of[c], me, 100 * c + p, k);
      mine[n++] = p;
    }
    if ((k + c) % 3 == 0) {
      OK(MPI_Pready_list(n, mine, sends[c]));
      continue;
    }
    for (int i = 0; i < n; ++i) {
      OK((k + c) % 3 == 1 ? MPI_Pready(mine[i], sends[c]) : MPI_Pready_range(mine[i], mine[i], sends[c]));
      if (i == 0) some_time(id, k);
    }
  }
}

/// What was received is read as soon as it is there.
static void take(int id, int k) {
  for (int c = 0; c < kinds; ++c)
    for (int p = (id + 1) % threads; p < parts_of[c]; p += threads) {
      for (int flag = 0; !flag;) OK(MPI_Parrived(receives[c], p, &flag));
      CHECK(same(in[c] + p * ints_of[c], ints_of[c], (me + ranks - 1) % ranks, 100 * c + p, k), "thread %d", id);
    }
}

static void* work(void* number) {
  const int id = (int)(intptr_t)number;
  for (int k = 0; k < steps; ++k) {
    pthread_barrier_wait(&begins);
    make_ready(id, k);
    take(id, k);
    pthread_barrier_wait(&ends);
  }
  return NULL;
}

static void start(int k) {
  for (int c = 0; c < kinds; ++c) memset(in[c], 0xff, sizeof(int) * (size_t)(parts_of[c] * ints_of[c]));
  if (k % 2 == 0) OK(MPI_Startall(kinds, receives));
  OK(MPI_Startall(kinds, sends));
  if (k % 2 != 0) OK(MPI_Startall(kinds, receives));
}

/// While the threads are at it.
static void await_sends(int k) {
  int flag = 0;
  MPI_Status st[kinds];
  if (k % 3 == 0) OK(MPI_Waitall(kinds, sends, st));
  else if (k % 3 == 1) while (!flag) OK(MPI_Testall(kinds, sends, &flag, st));
  else for (int c = 0; c < kinds; ++c) OK(MPI_Wait(&sends[(c + k) % kinds], MPI_STATUS_IGNORE));
}

int main(int argc, char** argv) {
  multiple = begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE) == MPI_THREAD_MULTIPLE;
  pthread_t team[threads];
  pthread_barrier_init(&begins, NULL, threads + 1);
  pthread_barrier_init(&ends, NULL, threads + 1);
  for (int c = 0; c < kinds; ++c) {
    const size_t bytes = sizeof(int) * (size_t)(parts_of[c] * ints_of[c]);
    out[c] = malloc(bytes), in[c] = malloc(bytes);
  }
  initialise();
  for (int t = 0; multiple && t < threads; ++t) pthread_create(&team[t], NULL, work, (void*)(intptr_t)t);
  for (int k = 0; k < steps; ++k) {
    start(k);
    if (multiple) {
      pthread_barrier_wait(&begins);
      await_sends(k);
      pthread_barrier_wait(&ends);
    } else {
      for (int t = 0; t < threads; ++t) make_ready(t, k);
      await_sends(k);
      for (int t = 0; t < threads; ++t) take(t, k);
    }
    OK(MPI_Waitall(kinds, receives, MPI_STATUSES_IGNORE));
    for (int c = 0; c < kinds; ++c) got(in[c], sizeof(int) * (size_t)(parts_of[c] * ints_of[c]));
    if (k % 7 == 6) {
      for (int c = 0; c < kinds; ++c) {
        OK(MPI_Request_free(&sends[c]));
        OK(MPI_Request_free(&receives[c]));
      }
      initialise();
    }
    step(k);
  }
  for (int t = 0; multiple && t < threads; ++t) pthread_join(team[t], NULL);
  for (int c = 0; c < kinds; ++c) {
    OK(MPI_Request_free(&sends[c]));
    OK(MPI_Request_free(&receives[c]));
    free(out[c]), free(in[c]);
  }
  return finish();
}
