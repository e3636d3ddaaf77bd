// Frame of the test programs: each checks every value that it receives, prints a line per step, and a checksum over all
// of them that does not depend on timing.
#pragma once
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int me, ranks, wrong;
static uint64_t hash = 1469598103934665603u;

#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      ++wrong; \
      printf("rank %d: %s:%d: %s does not hold\n", me, __FILE__, __LINE__, #condition); \
      fflush(stdout); \
    } \
  } while (0)

static inline void mix(const void* data, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i) hash = (hash ^ ((const unsigned char*)data)[i]) * 1099511628211u;
}
#define MIX(value) mix(&(value), sizeof(value))

static inline void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
}

static inline int steps_of(int argc, char** argv) { return argc > 1 ? atoi(argv[1]) : 50; }

// A second argument is the pause after each step in milliseconds: room for a checkpoint of a program that is too fast.
static inline void step(int k, int n, int argc, char** argv) {
  if (me == 0) printf("step %d of %d\n", k + 1, n), fflush(stdout);
  if (argc > 2) {
    const struct timespec pause = {0, atol(argv[2]) * 1000000};
    nanosleep(&pause, NULL);
  }
}

static inline int finish(void) {
  uint64_t all = 0;
  int any = 0;
  hash ^= (uint64_t)me * 0x9e3779b97f4a7c15u;
  MPI_Reduce(&hash, &all, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
  MPI_Allreduce(&wrong, &any, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (me == 0) printf("checksum %016llx\n", (unsigned long long)all), fflush(stdout);
  MPI_Finalize();
  return any != 0;
}
