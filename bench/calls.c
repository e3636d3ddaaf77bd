// What one call costs: nanoseconds, the median over samples, a line per call. usage: calls [NAME of a call [BYTES]]
// Two ranks, or one with itself: then what is no exchange with oneself is left out.
#include "median.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { samples = 31, largest = 1 << 20 };
static int me, other;
static char *a, *b;

typedef void call(int bytes);
static const char* only;        // the one call that the command line names; NULL: all
static int only_bytes = -1;     // -1: all

static void measure(const char* name, call* what, int bytes, int repeats) {
  if ((only != NULL && strcmp(only, name) != 0) || (only_bytes >= 0 && only_bytes != bytes)) return;
  double times[samples];
  for (int s = -2; s < samples; ++s) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = MPI_Wtime();
    for (int i = 0; i < repeats; ++i) what(bytes);
    const double took = MPI_Wtime() - begin;
    if (s >= 0) times[s] = took / repeats * 1e9;
  }
  const double ns = median(times, samples);
  if (me == 0) printf("%s %d %.2f\n", name, bytes, ns), fflush(stdout);
}

static void comm_rank(int n) { (void)n; int r; MPI_Comm_rank(MPI_COMM_WORLD, &r); }
static void type_size(int n) { (void)n; int s; MPI_Type_size(MPI_DOUBLE, &s); }
static void wtime(int n) { (void)n; volatile double t = MPI_Wtime(); (void)t; }
static void barrier(int n) { (void)n; MPI_Barrier(MPI_COMM_WORLD); }
static void bcast(int n) { MPI_Bcast(a, n, MPI_CHAR, 0, MPI_COMM_WORLD); }
static void allreduce(int n) { MPI_Allreduce(a, b, n / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD); }
static void alltoall(int n) { MPI_Alltoall(a, n / 2, MPI_CHAR, b, n / 2, MPI_CHAR, MPI_COMM_WORLD); }
static void ibcast(int n) { MPI_Request r; MPI_Ibcast(a, n, MPI_CHAR, 0, MPI_COMM_WORLD, &r); MPI_Wait(&r, MPI_STATUS_IGNORE); }
static void iallreduce(int n) { MPI_Request r; MPI_Iallreduce(a, b, n / 4, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r); MPI_Wait(&r, MPI_STATUS_IGNORE); }
static MPI_Request waiting;     // a receive whose message is sent at the end
static int nothing;
static void test_in_vain(int n) { (void)n; int flag; MPI_Test(&waiting, &flag, MPI_STATUS_IGNORE); }
static void testany_in_vain(int n) { (void)n; int flag, i; MPI_Testany(1, &waiting, &i, &flag, MPI_STATUS_IGNORE); }
static void iprobe_in_vain(int n) { (void)n; int flag; MPI_Iprobe(other, 8, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE); }
static void ping_pong(int n) {
  if (me == 0) {
    MPI_Send(a, n, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
    MPI_Recv(b, n, MPI_CHAR, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  } else {
    MPI_Recv(b, n, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(a, n, MPI_CHAR, 0, 0, MPI_COMM_WORLD);
  }
}
static void exchange(int n) {
  MPI_Request r[2];
  MPI_Irecv(b, n, MPI_CHAR, other, 1, MPI_COMM_WORLD, &r[0]);
  MPI_Isend(a, n, MPI_CHAR, other, 1, MPI_COMM_WORLD, &r[1]);
  MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  int ranks;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  other = ranks - 1 - me;
  if (argc > 1) only = argv[1];
  if (argc > 2) only_bytes = atoi(argv[2]);
  a = calloc(1, largest);
  b = calloc(1, largest);
  measure("Comm_rank", comm_rank, 0, 200000);
  measure("Type_size", type_size, 0, 200000);
  measure("Wtime", wtime, 0, 100000);
  measure("Barrier", barrier, 0, 5000);
  MPI_Irecv(&nothing, 1, MPI_INT, other, 9, MPI_COMM_WORLD, &waiting);
  measure("Test-in-vain", test_in_vain, 0, 20000);
  measure("Testany-in-vain", testany_in_vain, 0, 20000);
  measure("Iprobe-in-vain", iprobe_in_vain, 0, 20000);
  MPI_Send(&me, 1, MPI_INT, other, 9, MPI_COMM_WORLD);
  MPI_Wait(&waiting, MPI_STATUS_IGNORE);
  static const int sizes[] = {4, 1024, largest};
  for (int i = 0; i < 3; ++i) {
    const int n = sizes[i], repeats = n == largest ? 60 : only_bytes >= 0 ? 100000 : 4000;
    measure("Bcast", bcast, n, repeats);
    measure("Allreduce", allreduce, n, repeats);
    measure("Alltoall", alltoall, n, repeats);
    measure("Ibcast+Wait", ibcast, n, repeats);
    measure("Iallreduce+Wait", iallreduce, n, repeats);
    if (ranks == 2) measure("ping-pong", ping_pong, n, repeats);
    measure("Irecv+Isend+Waitall", exchange, n, repeats);
  }
  MPI_Finalize();
  return 0;
}
