// Holds MIB of memory per rank, random, half packable, or zeros, and computes until it is killed:
//   images MIB random|half|zeros
// Rank 0 prints how many steps are done, ten times a second, and each step that took longer than GAP_S: the pause of a
// checkpoint as the program sees it. A file `do` in the working directory that holds a percentage makes each rank write to
// so many of its pages, evenly spread, and then print "changed".
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const double gap_s = 0.01, report_s = 0.1;
enum { page_words = 512, work = 200000, look_every = 16 };

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fill(uint64_t* data, size_t words, const char* kind, int me) {
  uint64_t state = 88172645463325252u + (uint64_t)me;
  const int half = strcmp(kind, "half") == 0;
  if (strcmp(kind, "zeros") == 0) {
    memset(data, 0, 8 * words);
    return;
  }
  for (size_t i = 0; i < words; ++i) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    data[i] = half && i % 2 == 0 ? i : state;
  }
}

static double asked(void) {
  double percent = -1;
  FILE* const file = fopen("do", "r");
  if (file == NULL) return -1;
  if (fscanf(file, "%lf", &percent) != 1) percent = -1;
  fclose(file);
  if (percent >= 0) unlink("do");
  return percent;
}

static void change(uint64_t* data, size_t words, double percent) {
  const size_t pages = words / page_words, wanted = (size_t)((double)pages * percent / 100);
  for (size_t k = 0; k < wanted; ++k) data[k * pages / wanted * page_words + 7] += 0x9e3779b97f4a7c15u;
}

int main(int argc, char** argv) {
  const size_t words = ((size_t)atol(argv[1]) << 20) / 8;
  int me;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  uint64_t* const data = malloc(8 * words + 8);
  fill(data, words, argv[2], me);
  volatile double sum = 0;
  double said = 0, before = now();
  for (long step = 1;; ++step) {
    for (int i = 1; i < work; ++i) sum += 1.0 / i;
    MPI_Barrier(MPI_COMM_WORLD);
    const double at = now();
    if (me == 0 && at - before > gap_s) printf("gap %.4f\n", at - before), fflush(stdout);
    if (me == 0 && at - said > report_s) said = at, printf("step %ld at %.4f\n", step, at), fflush(stdout);
    before = at;
    if (step % look_every != 0) continue;
    double percent = me == 0 ? asked() : -1;
    MPI_Bcast(&percent, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (percent < 0) continue;
    change(data, words, percent);
    MPI_Barrier(MPI_COMM_WORLD);
    if (me == 0) printf("changed\n"), fflush(stdout);
    before = now();
  }
}
