// What one-sided communication costs: nanoseconds, the median over samples, a line per operation. Any number of ranks.
// usage: windows [NAME of an operation], or
//        windows hold COUNT MIB windows|memory: so many windows of so many MiB, or the memory without them; steps until it is killed
#include "median.h"

#include <limits.h>
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { samples = 21, largest = 1 << 20 };
static int me, ranks, right, left;
static char *a, *b;
static MPI_Win win;                  // what is measured
static MPI_Group to, from;
static const char* only;

typedef void operation(int bytes);

/// So many repeats that a sample takes 50 ms at most. With more ranks than cores an operation that its target has to answer takes a
/// time slice, which is a thousand times as long.
static int affordable(operation* what, int alone, int bytes, int repeats) {
  enum { tried = 5 };
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  if (me == 0 || !alone)
    for (int i = 0; i < tried; ++i) what(bytes);
  const double within = 0.05 / ((MPI_Wtime() - begin) / tried);
  if (within < repeats) repeats = within < tried ? tried : (int)within;
  MPI_Bcast(&repeats, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return repeats;
}

/// alone: rank 0 does it, while the others are in a barrier
static void measure(const char* name, const char* where, operation* what, int alone, int bytes, int repeats) {
  char full[64];
  snprintf(full, sizeof full, "%s%s", name, where);
  if (only != NULL && strcmp(only, full) != 0) return;
  double times[samples];
  repeats = affordable(what, alone, bytes, repeats);
  for (int s = -2; s < samples; ++s) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    if (me == 0 || !alone)
      for (int i = 0; i < repeats; ++i) what(bytes);
    const double took = MPI_Wtime() - begin;
    if (s >= 0) times[s] = took / repeats * 1e9;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  const double ns = median(times, samples);
  if (me == 0) printf("%s %d %.2f\n", full, bytes, ns), fflush(stdout);
}

static void put(int n) { MPI_Put(a, n, MPI_CHAR, right, 0, n, MPI_CHAR, win), MPI_Win_flush(right, win); }
static void get(int n) { MPI_Get(b, n, MPI_CHAR, right, 0, n, MPI_CHAR, win), MPI_Win_flush(right, win); }
static void accumulate(int n) {
  MPI_Accumulate(a, n / 8, MPI_INT64_T, right, 0, n / 8, MPI_INT64_T, MPI_SUM, win);
  MPI_Win_flush(right, win);
}
static void fetch_and_op(int n) {
  (void)n;
  MPI_Fetch_and_op(a, b, MPI_INT64_T, right, 0, MPI_SUM, win);
  MPI_Win_flush(right, win);
}
static void rput(int n) {
  MPI_Request r;
  MPI_Rput(a, n, MPI_CHAR, right, 0, n, MPI_CHAR, win, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}
static void flush_clean(int n) { (void)n, MPI_Win_flush_all(win); }
static void fence(int n) {
  if (n > 0) MPI_Put(a, n, MPI_CHAR, right, 0, n, MPI_CHAR, win);
  MPI_Win_fence(0, win);
}
static void post_start_complete_wait(int n) {
  MPI_Win_post(from, 0, win);
  MPI_Win_start(to, 0, win);
  MPI_Put(a, n, MPI_CHAR, right, 0, n, MPI_CHAR, win);
  MPI_Win_complete(win);
  MPI_Win_wait(win);
}
static void locked_put(int target, int kind, int n) {
  MPI_Win_lock(kind, target, 0, win);
  MPI_Put(a, n, MPI_CHAR, target, 0, n, MPI_CHAR, win);
  MPI_Win_unlock(target, win);
}
static void exclusive(int n) { locked_put(right, MPI_LOCK_EXCLUSIVE, n); }
static void shared(int n) { locked_put(right, MPI_LOCK_SHARED, n); }
static void contended(int n) { locked_put(0, MPI_LOCK_EXCLUSIVE, n); }
static void all(int n) { (void)n, MPI_Win_lock_all(0, win), MPI_Win_unlock_all(win); }

static volatile uint64_t* of_right;
static void loads(int n) {
  uint64_t sum = 0;
  for (int i = 0; i < n / 8; ++i) sum += of_right[i];
  *(volatile uint64_t*)b = sum;
}
static void stores(int n) {
  for (int i = 0; i < n / 8; ++i) of_right[i] = (uint64_t)i;
}

static void measure_window(const char* where) {
  static const int sizes[] = {8, 1024, largest};
  MPI_Win_lock_all(0, win);
  measure("flush-of-nothing", where, flush_clean, 1, 0, 20000);
  measure("Fetch_and_op", where, fetch_and_op, 1, 8, 5000);
  for (int i = 0; i < 3; ++i) {
    const int n = sizes[i], repeats = n == largest ? 40 : 5000;
    measure("Put", where, put, 1, n, repeats);
    measure("Get", where, get, 1, n, repeats);
    measure("Accumulate", where, accumulate, 1, n, n == largest ? 20 : 2000);
    measure("Rput", where, rput, 1, n, repeats);
  }
  MPI_Win_unlock_all(win);
  measure("lock-all", where, all, 1, 0, 2000);
  measure("exclusive", where, exclusive, 1, 8, 2000);
  measure("shared", where, shared, 1, 8, 2000);
  measure("contended", where, contended, 0, 8, 300);
  MPI_Win_fence(0, win);
  measure("fence", where, fence, 0, 0, 1000);
  measure("fence", where, fence, 0, 8, 1000);
  MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
  measure("post-start-complete-wait", where, post_start_complete_wait, 0, 8, 1000);
}

static void hold(int count, int mib, int with_windows) {
  MPI_Win* const windows = calloc((size_t)count, sizeof *windows);
  const size_t bytes = (size_t)mib << 20;
  for (int i = 0; i < count; ++i) {
    char* const memory = aligned_alloc(4096, bytes);
    memset(memory, i + 1, bytes);
    if (with_windows) MPI_Win_create(memory, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &windows[i]);
  }
  const struct timespec pause = {0, 10000000};
  for (int k = 0; k < INT_MAX; ++k) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) printf("step %d of %d\n", k + 1, INT_MAX), fflush(stdout);
    nanosleep(&pause, NULL);
  }
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc == 5 && strcmp(argv[1], "hold") == 0) hold(atoi(argv[2]), atoi(argv[3]), strcmp(argv[4], "windows") == 0);
  if (argc > 1) only = argv[1];
  right = (me + 1) % ranks, left = (me + ranks - 1) % ranks;
  a = calloc(1, largest), b = calloc(1, largest);
  char* memory = aligned_alloc(64, largest);
  memset(memory, 0, largest);
  MPI_Group world;
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, 1, &right, &to);
  MPI_Group_incl(world, 1, &left, &from);

  MPI_Win_create(memory, largest, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  measure_window("");
  MPI_Win_free(&win);
  MPI_Win_allocate(largest, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  measure_window("/allocate");
  MPI_Win_free(&win);
  MPI_Win_allocate_shared(largest, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
  MPI_Aint size;
  int unit;
  MPI_Win_shared_query(win, right, &size, &unit, (void*)&of_right);
  MPI_Win_lock_all(MPI_MODE_NOCHECK, win);
  measure("loads", "/shared", loads, 1, largest, 100);
  measure("stores", "/shared", stores, 1, largest, 100);
  MPI_Win_unlock_all(win);
  MPI_Win_free(&win);
  MPI_Finalize();
  return 0;
}
