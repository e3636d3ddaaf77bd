// What every rank knows of the world: all live communicators with their members. Two sources of random numbers, both
// seeded anew for each action: pick() gives all ranks the same number, mine() gives each rank its own.
#pragma once
#include "../mpi/programs/check.h"

// As expressions, several of which make one statement.
#undef CHECK
#undef OK
#define CHECK(condition, ...) ((condition) ? (void)0 : report(__FILE__, __LINE__, #condition, ": " __VA_ARGS__))
#define OK(call) (calling(#call, __LINE__), succeeded((call), #call, __FILE__, __LINE__))
static FILE* trace;          // of this rank's calls, of each before it is made
static int action;
static void calling(const char* call, int line) {
  if (trace) fprintf(trace, "%d:%d %s\n", action, line, call), fflush(trace);
}
static void succeeded(int code, const char* call, const char* file, int line) {
  if (code != MPI_SUCCESS) report(file, line, call, ": returned %d", code);
}

enum { most_ranks = 8, most_comms = 14, most_edges = 16 };
enum topology { plain, cart, graph, dist };

/// A communicator. An intercommunicator has two sides, others side 0 only; who[s][r]: rank in MPI_COMM_WORLD. Of a
/// process that is no member: handle MPI_COMM_NULL, rank -1.
struct comm {
  int used, inter, kind, n[2], who[2][most_ranks];
  MPI_Comm handle;
  int side, rank;
  int attribute;             // its value, 0: none
  int session;               // 0: of none
  char name[24];
  MPI_Request unborn;        // MPI_Comm_idup under way
};

static struct comm comms[most_comms];
static uint64_t seed, shared_state, own_state;
static int serial;           // of messages, collectives, attributes: the same on all ranks, never twice
static int beyond;           // also what MPICH 4.0.2 itself gets wrong: for runs under mana
// Whether some run of the program may be over MPICH, over Open MPI: what that library gets wrong is left out.
#ifdef OPEN_MPI
static int over_mpich = 0;
#else
static int over_mpich = 1;
#endif
#ifdef MPICH_VERSION
static int over_openmpi = 0;
#else
static int over_openmpi = 1;
#endif
// Without what MPICH 5.0.2 gets wrong: each process has a node of its own; the group of a cartesian communicator has all processes
// of its parent.
static int anywhere;

static uint64_t mix(uint64_t x) {
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
  x = (x ^ x >> 27) * 0x94d049bb133111ebu;
  return x ^ x >> 31;
}

static int draw(uint64_t* state, int n) {
  *state += 0x9e3779b97f4a7c15u;
  return (int)((mix(*state) >> 33) % (uint64_t)n);
}

/// 0..n-1, on all ranks the same; world-changing decisions come before anything that only some ranks do.
static int pick(int n) { return draw(&shared_state, n); }
/// 0..n-1, this rank's own.
static int mine(int n) { return draw(&own_state, n); }

static void begin_action(int number) {
  action = number;
  shared_state = mix(seed * 0x2545f4914f6cdd1du + (uint64_t)number * 0x9e3779b97f4a7c15u + 1);
  own_state = mix(shared_state ^ (uint64_t)(me + 1) * 0xd6e8feb86659fd93u);
}

/// Counts data as received. The order in which requests complete does not matter to the sum.
static void took(int number, const void* data, size_t bytes) {
  hash += fnv(fnv(1469598103934665603u, &number, sizeof number), data, bytes);
}

static int member(const struct comm* c) { return c->rank >= 0; }

/// Finds this process among the members.
static void place(struct comm* c) {
  c->rank = -1, c->side = 0;
  for (int s = 0; s < 2; ++s)
    for (int r = 0; r < c->n[s]; ++r)
      if (c->who[s][r] == me) c->rank = r, c->side = s;
}

/// An unused entry for what is made of `parent`, NULL if all are taken.
static struct comm* unused_comm(const struct comm* parent) {
  for (int i = 0; i < most_comms; ++i) {
    struct comm* c = &comms[i];
    if (c->used) continue;
    *c = (struct comm){.handle = MPI_COMM_NULL, .unborn = MPI_REQUEST_NULL, .session = parent ? parent->session : 0};
    return c;
  }
  return NULL;
}

static int unused_comms(void) {
  int n = 0;
  for (int i = 0; i < most_comms; ++i) n += !comms[i].used;
  return n;
}

/// Members end what MPI_Comm_idup began.
static struct comm* born(struct comm* c) {
  if (c != NULL && c->unborn != MPI_REQUEST_NULL) OK(MPI_Wait(&c->unborn, MPI_STATUS_IGNORE));
  return c;
}

enum { any_side = 2 };
/// A live communicator, between two groups or not; NULL if there is none.
static struct comm* some_comm(int inter) {
  int at[most_comms], n = 0;
  for (int i = 0; i < most_comms; ++i)
    if (comms[i].used && (inter == any_side || comms[i].inter == inter)) at[n++] = i;
  struct comm* const c = n == 0 ? NULL : born(&comms[at[pick(n)]]);
  if (trace && c) fprintf(trace, "%d: with %s\n", action, c->name);
  return c;
}
