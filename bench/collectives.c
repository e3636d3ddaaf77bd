// What collectives cost, on any number of ranks; a line for each on rank 0:
//
//   blocking:     NAME BYTES NS                                a call
//   nonblocking:  NAME BYTES COMM_NS COMPUTE_NS TOTAL_NS       start and wait; computing for as long; both at once
//                 NAME BYTES refused                           the call ended in an error
//
// Each number is the median over samples; a sample is the mean over calls in a row, of the rank where it is largest:
// a root that is ahead of the others, or a leaf behind, would hide what the job waits for.
// BYTES is one message: of the root or of each rank, or in an alltoall what goes from each rank to each.
//
// usage: collectives blocking|nonblocking [SAMPLE_MS [SAMPLES [NAME [BYTES]]]]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { largest = 1 << 20, most_samples = 101 };
static int me, ranks;
static double sample_s = 0.01;
static int samples = 15;
static char *a, *b;

static int by_value(const void* x, const void* y) {
  const double d = *(const double*)x - *(const double*)y;
  return (d > 0) - (d < 0);
}

typedef struct call call;
struct call {
  const char* name;
  void (*blocking)(int bytes);
  int (*start)(int bytes, MPI_Request* request);  // out: MPI's answer
};
typedef void body(const call* c, int bytes);

static volatile double sink = 0.5;  // the compiler does not know it, so that it cannot leave the loop out
static long work_steps;

/// Computing, without a look at a clock: as long as it runs, wherever it is run.
static void work(const call* c, int bytes) {
  (void)c, (void)bytes;
  double x = sink;
  for (long i = 0; i < work_steps; ++i) x = x * 0.999999 + 1e-6;
  sink = x;
}
static void one_call(const call* c, int bytes) { c->blocking(bytes); }
static void start_and_wait(const call* c, int bytes) {
  MPI_Request r;
  c->start(bytes, &r);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}
static void start_work_and_wait(const call* c, int bytes) {
  MPI_Request r;
  c->start(bytes, &r);
  work(c, bytes);
  MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/// Seconds that so many in a row take here, after a barrier.
static double time_of(body* what, const call* c, int bytes, long repeats) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (long i = 0; i < repeats; ++i) what(c, bytes);
  return MPI_Wtime() - begin;
}

/// Nanoseconds, the same on all ranks. How many calls are a sample is found first: they take sample_s or more, or
/// there is one of them.
static double measure(body* what, const call* c, int bytes) {
  long repeats = 1;
  for (;;) {
    double took = time_of(what, c, bytes, repeats);
    MPI_Allreduce(MPI_IN_PLACE, &took, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (took >= sample_s) break;
    repeats = took < sample_s / 16 ? repeats * 8 : (long)((double)repeats * sample_s / took) + 1;
  }
  double times[most_samples];
  for (int s = 0; s < samples; ++s) times[s] = time_of(what, c, bytes, repeats) / (double)repeats * 1e9;
  MPI_Allreduce(MPI_IN_PLACE, times, samples, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  qsort(times, (size_t)samples, sizeof times[0], by_value);
  return times[samples / 2];
}

static void blocking(const call* c, int bytes) {
  const double ns = measure(one_call, c, bytes);
  if (me == 0) printf("%s %d %.2f\n", c->name, bytes, ns), fflush(stdout);
}

/// Whether the first one is refused; all ranks agree on that, since a policy refuses it on all.
static int is_refused(const call* c, int bytes) {
  MPI_Request r;
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  const int rc = c->start(bytes, &r);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  if (rc == MPI_SUCCESS) MPI_Wait(&r, MPI_STATUS_IGNORE);
  return rc != MPI_SUCCESS;
}

static void nonblocking(const call* c, int bytes) {
  if (is_refused(c, bytes)) {
    if (me == 0) printf("%s %d refused\n", c->name, bytes), fflush(stdout);
    return;
  }
  static double step;  // ns of one step of work
  if (step == 0) {
    work_steps = 1 << 16;
    step = measure(work, c, bytes) / (double)work_steps;
  }
  const double comm = measure(start_and_wait, c, bytes);
  work_steps = (long)(comm / step) + 1;
  const double compute = measure(work, c, bytes);
  const double total = measure(start_work_and_wait, c, bytes);
  if (me == 0) printf("%s %d %.2f %.2f %.2f\n", c->name, bytes, comm, compute, total), fflush(stdout);
}

#define W MPI_COMM_WORLD
static void barrier(int n) { (void)n; MPI_Barrier(W); }
static void bcast(int n) { MPI_Bcast(a, n, MPI_CHAR, 0, W); }
static void reduce(int n) { MPI_Reduce(a, b, n / 4, MPI_INT, MPI_SUM, 0, W); }
static void allreduce(int n) { MPI_Allreduce(a, b, n / 4, MPI_INT, MPI_SUM, W); }
static void gather(int n) { MPI_Gather(a, n, MPI_CHAR, b, n, MPI_CHAR, 0, W); }
static void allgather(int n) { MPI_Allgather(a, n, MPI_CHAR, b, n, MPI_CHAR, W); }
static void alltoall(int n) { MPI_Alltoall(a, n, MPI_CHAR, b, n, MPI_CHAR, W); }
static void scan(int n) { MPI_Scan(a, b, n / 4, MPI_INT, MPI_SUM, W); }
static int ibarrier(int n, MPI_Request* r) { (void)n; return MPI_Ibarrier(W, r); }
static int ibcast(int n, MPI_Request* r) { return MPI_Ibcast(a, n, MPI_CHAR, 0, W, r); }
static int iallreduce(int n, MPI_Request* r) { return MPI_Iallreduce(a, b, n / 4, MPI_INT, MPI_SUM, W, r); }
static int ialltoall(int n, MPI_Request* r) { return MPI_Ialltoall(a, n, MPI_CHAR, b, n, MPI_CHAR, W, r); }

static const call calls[] = {
    {"Barrier", barrier, NULL},     {"Bcast", bcast, NULL},           {"Reduce", reduce, NULL},
    {"Allreduce", allreduce, NULL}, {"Gather", gather, NULL},         {"Allgather", allgather, NULL},
    {"Alltoall", alltoall, NULL},   {"Scan", scan, NULL},             {"Ibarrier", NULL, ibarrier},
    {"Ibcast", NULL, ibcast},       {"Iallreduce", NULL, iallreduce}, {"Ialltoall", NULL, ialltoall}};

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(W, &me);
  MPI_Comm_size(W, &ranks);
  const int waits = argc > 1 && strcmp(argv[1], "blocking") == 0;
  if (argc > 2) sample_s = atof(argv[2]) / 1e3;
  if (argc > 3) samples = atoi(argv[3]);
  if (argc < 2 || sample_s <= 0 || samples < 1 || samples > most_samples) {
    if (me == 0) fprintf(stderr, "usage: collectives blocking|nonblocking [SAMPLE_MS [SAMPLES [NAME [BYTES]]]]\n");
    MPI_Abort(W, 2);
  }
  a = calloc((size_t)ranks, largest);
  b = calloc((size_t)ranks, largest);
  static const int sizes[] = {0, 4, 1024, largest};
  for (size_t i = 0; i < sizeof calls / sizeof calls[0]; ++i) {
    const call* const c = &calls[i];
    const int without_data = strstr(c->name, "arrier") != NULL;
    if ((c->blocking != NULL) != waits || (argc > 4 && strcmp(argv[4], c->name) != 0)) continue;
    for (int s = 0; s < 4; ++s) {
      if ((sizes[s] == 0) != without_data || (argc > 5 && atoi(argv[5]) != sizes[s])) continue;
      (waits ? blocking : nonblocking)(c, sizes[s]);
    }
  }
  free(a);
  free(b);
  MPI_Finalize();
  return 0;
}
