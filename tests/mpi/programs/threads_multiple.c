// Three threads, each with point-to-point messages and collectives on its own communicator, at the same time if the MPI
// provides MPI_THREAD_MULTIPLE, and with one attached buffer for all. They wait for each other after each step; those of threads.c do not.
#include "check.h"

#include <sched.h>

enum { threads = 3, few = 400, big = 30000 };  // ints of a message; the second: rendezvous
typedef struct {
  int id, multiple;
  MPI_Comm comm;
  uint64_t hash;  // of this thread only: no timing in it
  pthread_t thread;
  int big_out[big], big_in[big];
} worker;

static worker workers[threads];
static pthread_barrier_t step_begins, step_ends;
static __thread int my_id = -1;

static void take(worker* w, const int* v, int n, int from, int what, int k) {
  CHECK(same(v, n, from, what, k), "thread %d, step %d", w->id, k);
  w->hash = fnv(w->hash, v, (size_t)n * sizeof *v);
}

static void work(worker* w, int k) {
  int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks, what = 10 * (w->id + 1);
  int out[few], in[few], n, flag, sum, want, root = (k + w->id) % ranks;
  MPI_Request r[4];
  MPI_Status st;
  fill(out, few, me, what, k);
  OK(MPI_Sendrecv(out, few, MPI_INT, right, w->id, in, few, MPI_INT, left, w->id, w->comm, &st));
  take(w, in, few, left, what, k);

  fill(w->big_out, big, me, what + 1, k);
  OK(MPI_Irecv(in, few, MPI_INT, right, 1, w->comm, &r[0]));
  OK(MPI_Irecv(w->big_in, big, MPI_INT, left, 2, w->comm, &r[1]));
  OK(MPI_Isend(out, few, MPI_INT, left, 1, w->comm, &r[2]));
  OK(MPI_Isend(w->big_out, big, MPI_INT, right, 2, w->comm, &r[3]));
  if ((k + w->id) % 2) {
    OK(MPI_Waitall(4, r, MPI_STATUSES_IGNORE));
  } else {
    for (flag = 0; !flag;) OK(MPI_Testall(4, r, &flag, MPI_STATUSES_IGNORE));
  }
  take(w, in, few, right, what, k);
  take(w, w->big_in, big, left, what + 1, k);

  fill(out, 20, me, what + 2, k);  // a wildcard sees this thread's messages only
  OK(MPI_Isend(out, 20, MPI_INT, right, 100 + w->id, w->comm, &r[0]));
  OK(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, w->comm, &st));
  MPI_Get_count(&st, MPI_INT, &n);
  CHECK(n == 20 && st.MPI_TAG == 100 + w->id && st.MPI_SOURCE == left, "%d ints, tag %d", n, st.MPI_TAG);
  OK(MPI_Recv(in, few, MPI_INT, st.MPI_SOURCE, st.MPI_TAG, w->comm, MPI_STATUS_IGNORE));
  take(w, in, 20, left, what + 2, k);
  OK(MPI_Wait(&r[0], MPI_STATUS_IGNORE));

  fill(in, few, root, what + 3, me == root ? k : -1);
  OK(MPI_Bcast(in, few, MPI_INT, root, w->comm));
  take(w, in, few, root, what + 3, k);
  n = me * (w->id + 1) + k;
  OK(MPI_Iallreduce(&n, &sum, 1, MPI_INT, MPI_SUM, w->comm, &r[0]));
  OK(MPI_Ibarrier(w->comm, &r[1]));
  OK(MPI_Waitall(2, r, MPI_STATUSES_IGNORE));
  want = ranks * (ranks - 1) / 2 * (w->id + 1) + k * ranks;
  CHECK(sum == want, "%d not %d", sum, want);
  w->hash = fnv(w->hash, &sum, sizeof sum);
  if (w->multiple) CHECK(my_id == w->id, "thread-local value %d of thread %d", my_id, w->id);
}

// Threads share the attached buffer: each finds out for all of them what has left it.
enum { buffered = 4 };
static void attach(void) {
  int small, large;
  MPI_Pack_size(few, MPI_INT, MPI_COMM_WORLD, &small);
  MPI_Pack_size(big, MPI_INT, MPI_COMM_WORLD, &large);
  int size = 2 * threads * (buffered * (small + MPI_BSEND_OVERHEAD) + large + MPI_BSEND_OVERHEAD);
  OK(MPI_Buffer_attach(malloc((size_t)size), size));
}
static void detach(void) {
  void* memory;
  int size;
  OK(MPI_Buffer_detach(&memory, &size));
  free(memory);
}
static void buffered_work(worker* w, int k) {
  int right = (me + 1) % ranks, left = (me + ranks - 1) % ranks, what = 10 * (w->id + 1) + 5;
  int out[few], in[few];
  MPI_Request r;
  fill(w->big_out, big, me, what, k);
  OK(MPI_Bsend(w->big_out, big, MPI_INT, right, 6, w->comm));
  for (int i = 0; i < buffered; ++i) {
    fill(out, few, me, what + 1, buffered * k + i);
    OK(MPI_Ibsend(out, few, MPI_INT, right, 7, w->comm, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  }
  OK(MPI_Recv(w->big_in, big, MPI_INT, left, 6, w->comm, MPI_STATUS_IGNORE));
  take(w, w->big_in, big, left, what, k);
  for (int i = 0; i < buffered; ++i) {
    OK(MPI_Recv(in, few, MPI_INT, left, 7, w->comm, MPI_STATUS_IGNORE));
    take(w, in, few, left, what + 1, buffered * k + i);
  }
  OK(MPI_Barrier(w->comm));
}

// The same arguments give the same handle (MPI-4.1 19.1.5), however many threads ask for a new one at once.
enum { f90_types = 6 * 6 };       // MPICH has room for few
static int arrived;
/// Goes on at the same moment in all threads: they spin, as those that a barrier wakes come one after the other.
static void together(void) {
  const int wanted = (__atomic_fetch_add(&arrived, 1, __ATOMIC_ACQ_REL) / threads + 1) * threads;
  for (int spins = 0; __atomic_load_n(&arrived, __ATOMIC_ACQUIRE) < wanted;)
    if (++spins % 300000 == 0) sched_yield();
}
static MPI_Datatype f90[threads][f90_types];
static void make_f90(worker* w) {
  for (int i = 0; i < f90_types; ++i) {
    together();
    OK(MPI_Type_create_f90_real(1 + i % 6, 1 + i / 6, &f90[w->id][i]));
    together();
    CHECK(f90[w->id][i] == f90[0][i], "thread %d: another type %d", w->id, i);
  }
}

static void* run(void* arg) {
  worker* w = arg;
  my_id = w->id;
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length;
  MPI_Get_library_version(version, &length);
  if (strstr(version, "MANA") != NULL) make_f90(w);
  for (int k = 0; k < steps; ++k) {
    pthread_barrier_wait(&step_begins);
    work(w, k);
    buffered_work(w, k);
    pthread_barrier_wait(&step_ends);
  }
  return NULL;
}

int main(int argc, char** argv) {
  int multiple = begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE) == MPI_THREAD_MULTIPLE, all, level, main_thread;
  MPI_Allreduce(&multiple, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  OK(MPI_Query_thread(&level));
  OK(MPI_Is_thread_main(&main_thread));
  CHECK(main_thread && (level == MPI_THREAD_MULTIPLE) == multiple, "level %d", level);
  if (me == 0) printf("threads: %s\n", all ? "at the same time" : "one after the other");
  attach();
  pthread_barrier_init(&step_begins, NULL, threads + 1);
  pthread_barrier_init(&step_ends, NULL, threads + 1);
  for (int t = 0; t < threads; ++t) {
    workers[t].id = t;
    workers[t].multiple = all;
    workers[t].hash = hash;
    MPI_Comm_dup(MPI_COMM_WORLD, &workers[t].comm);
  }
  for (int t = 0; all && t < threads; ++t) pthread_create(&workers[t].thread, NULL, run, &workers[t]);
  for (int k = 0; k < steps; ++k) {
    if (all) {
      pthread_barrier_wait(&step_begins);
      pthread_barrier_wait(&step_ends);
    } else {
      for (int t = 0; t < threads; ++t) {
        work(&workers[t], k);
        buffered_work(&workers[t], k);
      }
    }
    step(k);
  }
  for (int t = 0; t < threads; ++t) {
    if (all) pthread_join(workers[t].thread, NULL);
    got(&workers[t].hash, sizeof workers[t].hash);
    MPI_Comm_free(&workers[t].comm);
  }
  detach();
  return finish();
}
