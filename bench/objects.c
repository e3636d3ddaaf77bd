// What an MPI object costs. Two ranks; rank 0 prints.
//
//   made WHAT COUNT      makes and frees COUNT of them, one after another: "WHAT ns grown", nanoseconds for each (median
//                        of a thousand parts, short ones, of which others on this machine disturb few) and bytes by
//                        which the resident set grew after the first tenth
//   live WHAT COUNT      makes COUNT of them and keeps them: "WHAT ns bytes", for each
//   hold WHAT COUNT...   makes so many of each and prints a line, "step N of M", again and again while it has them
//
// WHAT: see `kinds` below. usage: objects made|live|hold WHAT COUNT [WHAT COUNT...]
#include "median.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { parts = 1000, tenth = parts / 10 };
static int me, other;
static int word_out, *words_in;

static long resident_bytes(void) {
  long pages = 0;
  FILE* const f = fopen("/proc/self/statm", "r");
  if (f == NULL || fscanf(f, "%*s %ld", &pages) != 1) abort();
  fclose(f);
  return pages * sysconf(_SC_PAGESIZE);
}

/// Any handle.
typedef union { MPI_Comm comm; MPI_Datatype type; MPI_Request request; } object;

static void dup_world(object* o, int i) { (void)i; MPI_Comm_dup(MPI_COMM_WORLD, &o->comm); }
static void dup_self(object* o, int i) { (void)i; MPI_Comm_dup(MPI_COMM_SELF, &o->comm); }
static void free_comm(object* o) { MPI_Comm_free(&o->comm); }

static void contiguous(object* o, int i) {
  MPI_Type_contiguous(1 + i % 8, MPI_INT, &o->type);
  MPI_Type_commit(&o->type);
}
static void vector(object* o, int i) {
  MPI_Type_vector(4, 2, 3 + i % 8, MPI_DOUBLE, &o->type);
  MPI_Type_commit(&o->type);
}
static void structure(object* o, int i) {
  static const int lengths[] = {1, 4, 2};
  static const MPI_Datatype types[] = {MPI_INT, MPI_DOUBLE, MPI_CHAR};
  const MPI_Aint places[] = {0, 8, 40 + i % 8};
  MPI_Type_create_struct(3, lengths, places, types, &o->type);
  MPI_Type_commit(&o->type);
}
static void free_type(object* o) { MPI_Type_free(&o->type); }

static void send_init(object* o, int i) {
  MPI_Send_init(&word_out, 1, MPI_INT, other, i % 1000, MPI_COMM_WORLD, &o->request);
}
static void free_request(object* o) { MPI_Request_free(&o->request); }

static void receive(object* o, int i) { MPI_Irecv(&words_in[i], 1, MPI_INT, other, 1, MPI_COMM_WORLD, &o->request); }
/// A message to the other rank, whose oldest receive it completes.
static void send_and_wait(object* o) {
  MPI_Request sent;
  MPI_Isend(&word_out, 1, MPI_INT, other, 1, MPI_COMM_WORLD, &sent);
  MPI_Wait(&sent, MPI_STATUS_IGNORE);
  MPI_Wait(&o->request, MPI_STATUS_IGNORE);
}

/// A message that the other rank does not expect yet, and the receive of its oldest one.
static void send(object* o, int i) {
  (void)i;
  MPI_Isend(&word_out, 1, MPI_INT, other, 2, MPI_COMM_WORLD, &o->request);
}
static void receive_and_wait(object* o) {
  MPI_Recv(words_in, 1, MPI_INT, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Wait(&o->request, MPI_STATUS_IGNORE);
}

typedef struct {
  const char* name;
  void (*make)(object*, int);
  void (*end)(object*);
} kind;
static const kind kinds[] = {
  {"dup-world", dup_world, free_comm},   {"dup-self", dup_self, free_comm}, {"contiguous", contiguous, free_type},
  {"vector", vector, free_type},         {"struct", structure, free_type},  {"persistent", send_init, free_request},
  {"receive", receive, send_and_wait},   {"send", send, receive_and_wait},
};

static const kind* kind_named(const char* name) {
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; ++i)
    if (strcmp(kinds[i].name, name) == 0) return &kinds[i];
  return NULL;
}

static void made(const kind* k, int count) {
  static double times[parts];
  const int each = count / parts;
  long first = resident_bytes();      // what it takes itself is there from now on
  object o;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int t = 0; t < parts; ++t) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < each; ++i) {
      k->make(&o, i);
      k->end(&o);
    }
    times[t] = (MPI_Wtime() - begin) / each * 1e9;
    if (t + 1 == tenth) first = resident_bytes();
  }
  const long grown = resident_bytes() - first;
  if (me == 0) printf("%s %.1f %ld\n", k->name, median(times, parts), grown);
}

static void live(const kind* k, int count) {
  object* const all = malloc((size_t)count * sizeof *all);
  memset(all, 1, (size_t)count * sizeof *all);      // its pages are not the objects'
  object warm;
  k->make(&warm, 0);
  k->end(&warm);
  MPI_Barrier(MPI_COMM_WORLD);
  const long before = resident_bytes();
  const double begin = MPI_Wtime();
  for (int i = 0; i < count; ++i) k->make(&all[i], i);
  const double bytes = (double)(resident_bytes() - before) / count;
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < count; ++i) k->end(&all[i]);
  const double ns = (MPI_Wtime() - begin) / count * 1e9;
  if (me == 0) printf("%s %.1f %.0f\n", k->name, ns, bytes);
  free(all);
}

static void hold(char** words, int pairs) {
  enum { steps = 100000 };
  const struct timespec pause = {0, 2000000};
  int sum;
  for (int p = 0; p < pairs; ++p) {
    const int count = atoi(words[2 * p + 1]);
    object* const all = malloc((size_t)count * sizeof *all);
    for (int i = 0; i < count; ++i) kind_named(words[2 * p])->make(&all[i], i);
  }
  for (int k = 0; k < steps; ++k) {
    MPI_Allreduce(&k, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (me == 0) printf("step %d of %d\n", k + 1, steps), fflush(stdout);
    nanosleep(&pause, NULL);
  }
  MPI_Abort(MPI_COMM_WORLD, 1);
}

static int is_good(int argc, char** argv) {
  if (argc < 4 || argc % 2 != 0) return 0;
  for (int i = 2; i < argc; i += 2)
    if (kind_named(argv[i]) == NULL || atoi(argv[i + 1]) < 1) return 0;
  if (strcmp(argv[1], "made") == 0) return argc == 4 && atoi(argv[3]) >= parts;
  return strcmp(argv[1], "hold") == 0 || (argc == 4 && strcmp(argv[1], "live") == 0);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  other = 1 - me;
  if (!is_good(argc, argv)) {
    if (me == 0) fprintf(stderr, "usage: objects made|live|hold WHAT COUNT [WHAT COUNT...]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  const int count = atoi(argv[3]);
  words_in = malloc((size_t)count * sizeof *words_in);
  memset(words_in, 1, (size_t)count * sizeof *words_in);
  if (argv[1][0] == 'h') hold(argv + 2, (argc - 2) / 2);
  else (argv[1][0] == 'm' ? made : live)(kind_named(argv[2]), count);
  MPI_Finalize();
  return 0;
}
