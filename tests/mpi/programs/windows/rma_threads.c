// MPI_THREAD_MULTIPLE: several threads of each rank put, get, add and flush in one window, wait for requests, and lock in
// windows of their own. With a lower level one thread does all of it.
#include "memory.h"

enum { workers = 3, most = 4000, rounds = 4 };
struct FOR_A_WINDOW memory {
  int put[workers][most];
  long added[workers];
};
static struct memory own;
static struct memory counters[workers];
static MPI_Win shared, apart[workers];
static int in[workers][most], out[workers][most];
static int k_now;

static void* work(void* which) {
  const int t = (int)(intptr_t)which, k = k_now, n = 1 + (k * 37 + t * 11) % most;
  const MPI_Aint place = AT(memory, put) + (MPI_Aint)sizeof own.put[0] * t;
  MPI_Request r;
  long one = 1, before;
  for (int i = 0; i < rounds; ++i) {
    fill(out[t], n, me, t, k + i);
    OK(MPI_Rput(out[t], n, MPI_INT, right, place, n, MPI_INT, shared, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    OK(MPI_Win_flush(right, shared));
    OK(MPI_Rget(in[t], n, MPI_INT, right, place, n, MPI_INT, shared, &r));
    OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
    CHECK(same(in[t], n, me, t, k + i), "thread %d, step %d", t, k);
    OK(MPI_Accumulate(&one, 1, MPI_LONG, left, AT(memory, added) + (MPI_Aint)sizeof(long) * t, 1, MPI_LONG, MPI_SUM, shared));
    OK(MPI_Win_flush(left, shared));
    OK(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, apart[t]));
    OK(MPI_Get(&before, 1, MPI_LONG, 0, AT(memory, added), 1, MPI_LONG, apart[t]));
    OK(MPI_Win_flush(0, apart[t]));
    ++before;
    OK(MPI_Put(&before, 1, MPI_LONG, 0, AT(memory, added), 1, MPI_LONG, apart[t]));
    OK(MPI_Win_unlock(0, apart[t]));
  }
  return NULL;
}

int main(int argc, char** argv) {
  const int level = begin_threads(&argc, &argv, MPI_THREAD_MULTIPLE);
  find_neighbours();
  shared = create_window(&own, sizeof own, 1);
  for (int t = 0; t < workers; ++t) apart[t] = create_window(&counters[t], sizeof counters[t], 1);
  OK(MPI_Win_lock_all(0, shared));
  for (int k = 0; k < steps; ++k) {
    pthread_t threads[workers];
    k_now = k;
    for (int t = 0; t < workers; ++t) {
      if (level < MPI_THREAD_MULTIPLE) work((void*)(intptr_t)t);
      else pthread_create(&threads[t], NULL, work, (void*)(intptr_t)t);
    }
    step(k);
    for (int t = 0; t < workers && level == MPI_THREAD_MULTIPLE; ++t) pthread_join(threads[t], NULL);
    OK(MPI_Barrier(MPI_COMM_WORLD));
    OK(MPI_Win_sync(shared));
    for (int t = 0; t < workers; ++t) {
      const int n = 1 + (k * 37 + t * 11) % most;
      SAME(own.put[t], n, left, t, k + rounds - 1);
      CHECK(own.added[t] == (long)rounds * (k + 1), "thread %d: %ld, step %d", t, own.added[t], k);
    }
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  OK(MPI_Win_unlock_all(shared));
  OK(MPI_Win_free(&shared));
  for (int t = 0; t < workers; ++t) {
    if (me == 0) {
      OK(MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, apart[t]));
      CHECK(counters[t].added[0] == (long)rounds * ranks * steps, "thread %d: %ld", t, counters[t].added[0]);
      OK(MPI_Win_unlock(0, apart[t]));
    }
    OK(MPI_Win_free(&apart[t]));
  }
  return finish();
}
