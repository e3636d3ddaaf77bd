// Frame of the MPI test programs. A program checks every value that it receives, prints a line per step, and at the
// end a checksum of those values. Nothing that it prints depends on timing: a run that was checkpointed and restarted
// must print what the native run prints. Arguments: [STEPS [PAUSE]], PAUSE after each step in milliseconds: room for a
// checkpoint in a program that is too fast.
//
//   int main(int argc, char** argv) {
//     begin(&argc, &argv);
//     for (int k = 0; k < steps; ++k) exchange(k), step(k);
//     return finish();
//   }
#pragma once
#include <mpi.h>
#include <pthread.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int me, ranks;  // in MPI_COMM_WORLD
static int steps = 50, pause_ms;
static int wrong;  // checks that failed on this rank
static uint64_t hash = 1469598103934665603u;  // of what this rank received

/// What CHECK does when `what` does not hold; from any thread.
__attribute__((format(printf, 4, 5)))
static inline void report(const char* file, int line, const char* what, const char* found, ...) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  va_list values;
  va_start(values, found);
  pthread_mutex_lock(&lock);
  ++wrong;
  printf("rank %d: %s:%d: %s does not hold", me, file, line, what);
  vprintf(found, values);
  printf("\n"), fflush(stdout);
  pthread_mutex_unlock(&lock);
  va_end(values);
}

/// CHECK(condition) or CHECK(condition, "what was found: %d", x). The program goes on; finish() returns the failure.
#define CHECK(condition, ...) \
  do { \
    if (!(condition)) report(__FILE__, __LINE__, #condition, ": " __VA_ARGS__); \
  } while (0)

/// An MPI call that has to return MPI_SUCCESS.
#define OK(call) \
  do { \
    const int ok_code = (call); \
    CHECK(ok_code == MPI_SUCCESS, "%s returned %d", #call, ok_code); \
  } while (0)

/// The error class of what a call returned.
static inline int class_of(int code) {
  int error_class = -1;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// FNV-1a of `bytes` bytes, following `h`.
static inline uint64_t fnv(uint64_t h, const void* data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) h = (h ^ ((const unsigned char*)data)[i]) * 1099511628211u;
  return h;
}

/// Received data for the checksum, in an order that does not depend on timing; from one thread at a time.
static inline void got(const void* data, size_t bytes) { hash = fnv(hash, data, bytes); }
static inline void got_int(int value) { got(&value, sizeof value); }

/// What every rank can compute: element i of what a sends to b at step k; not negative.
static inline int val(int a, int b, int k, int i) {
  uint32_t x = (uint32_t)a * 2654435761u ^ (uint32_t)b * 39572631u;
  x ^= (uint32_t)k * 2246822519u ^ (uint32_t)i * 3266489917u;
  x = (x ^ x >> 15) * 2246822519u;
  x ^= x >> 13;
  return (int)(x & 0x3fffffff);
}

static inline void fill(int* v, int n, int a, int b, int k) {
  for (int i = 0; i < n; ++i) v[i] = val(a, b, k, i);
}

/// Whether fill(v, n, a, b, k) made what is in v.
static inline int same(const int* v, int n, int a, int b, int k) {
  for (int i = 0; i < n; ++i)
    if (v[i] != val(a, b, k, i)) {
      printf("rank %d: element %d of %d is %d, not %d (%d to %d, step %d)\n", me, i, n, v[i], val(a, b, k, i), a, b, k);
      return 0;
    }
  return 1;
}

/// v is what fill(v, n, a, b, k) makes, and counts as received.
#define SAME(v, n, a, b, k) \
  do { \
    CHECK(same(v, n, a, b, k), "from %d to %d, step %d", a, b, k); \
    got(v, (size_t)(n) * sizeof(int)); \
  } while (0)

/// Starts MPI, with MPI_Init_thread if `level` asks for threads; reads the arguments. Returns the level that MPI
/// gives.
static inline int begin_threads(int* argc, char*** argv, int level) {
  int provided = MPI_THREAD_SINGLE;
  if (level == MPI_THREAD_SINGLE) MPI_Init(argc, argv);
  else MPI_Init_thread(argc, argv, level, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (*argc > 1) steps = atoi((*argv)[1]);
  if (*argc > 2) pause_ms = atoi((*argv)[2]);
  return provided;
}

/// The same with MPI_Init.
static inline void begin(int* argc, char*** argv) { begin_threads(argc, argv, MPI_THREAD_SINGLE); }

/// After step k, which counts from 0. The line is rank 0's; every rank pauses. A thousand lines at most: more of them
/// would lie in the launcher's pipes for long, and a test that chooses moments by lines would be behind the program.
static inline void step(int k) {
  if (me == 0 && (k + 1) % (steps / 1000 + 1) == 0) printf("step %d of %d\n", k + 1, steps), fflush(stdout);
  const struct timespec pause = {pause_ms / 1000, pause_ms % 1000 * 1000000L};
  if (pause_ms > 0) nanosleep(&pause, NULL);
}

/// Prints the checksum and ends MPI. Returns what main returns: 0 if all checks of all ranks held.
static inline int finish(void) {
  const uint64_t mine = fnv(hash, &me, sizeof me);
  uint64_t all = 0;
  int any = 0;
  MPI_Reduce(&mine, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("checksum %016llx\n", (unsigned long long)all), fflush(stdout);
  MPI_Finalize();
  return any != 0;
}
