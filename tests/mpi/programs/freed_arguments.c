// What an operation names may be freed as soon as it was started or, of a persistent one, initialised (INV-67): every
// function that gives a request (the list is generated) has its communicator, datatypes, operation and info object freed
// at once. Each operation is completed a pause later, persistent ones twice. Of that the same calls must come as with
// objects that live on.
// Third argument `all`: with all that the MPIs natively get wrong. MPICH 4.0.2 takes the data of persistent collectives at
// their initialisation, crashes in partitioned messages, and gives up one reference too many of the datatypes of
// MPI_Isendrecv. Open MPI 4.1.4 crashes where a communicator is freed while a collective or MPI_Comm_idup is pending on it.
#include "check.h"

enum form { out, in, ready, matched, exchange, duplicate, collective, parts_out, parts_in };
enum { most = 16, room = 3 * most, tag = 7 };  // ranks; ints of a buffer

struct call {
  MPI_Comm comm, made;
  MPI_Datatype type[2], types[2][most];
  MPI_Op op;
  MPI_Info info;
  MPI_Message message;
  MPI_Request request, partner;
  int sent[room], got[room];
};

static int counts[most], places[most], bytes[most], left, right, root;
static MPI_Count wide_counts[most];
static MPI_Aint wide_places[most], wide_bytes[most];

#define ROW(id, form, is_persistent, has_neighbours, call_) static int begin_##id(struct call* k) { return call_; }
#include "freed_arguments.h"
#undef ROW

static const struct row {
  const char* name;
  enum form form;
  int is_persistent, has_neighbours;
  int (*begin)(struct call*);
} rows[] = {
#define ROW(id, form, is_persistent, has_neighbours, call_) {#id, form, is_persistent, has_neighbours, begin_##id},
#include "freed_arguments.h"
#undef ROW
};
enum { all_rows = sizeof rows / sizeof *rows };
static struct call calls[all_rows];
static int expected[all_rows][room];
static int with_all;

/// Two ints of three. Its inner datatype is freed at once.
static MPI_Datatype new_type(void) {
  MPI_Datatype inner, made;
  OK(MPI_Type_contiguous(1, MPI_INT, &inner));
  OK(MPI_Type_vector(2, 1, 2, inner, &made));
  OK(MPI_Type_commit(&made));
  OK(MPI_Type_free(&inner));
  return made;
}

/// Asks about the datatype that it is given.
static void add(void* from, void* to, int* n, MPI_Datatype* type) {
  int size = 0;
  MPI_Aint lb = 0, extent = 0;
  MPI_Type_size(*type, &size);
  MPI_Type_get_extent(*type, &lb, &extent);
  CHECK(size == 2 * sizeof(int) && extent == 3 * sizeof(int), "size %d", size);
  for (int i = 0; i < *n; ++i)
    for (int j = 0; j < 3; j += 2) ((int*)to)[3 * i + j] += ((const int*)from)[3 * i + j] & 0xfff;
}

#ifdef OMPI_MAJOR_VERSION
enum { is_openmpi = 1 };
#else
enum { is_openmpi = 0 };
#endif

static int is_left_out(const struct row* r) {
  const int is_wrong = r->form == exchange || r->form == parts_out || r->form == parts_in;
  return !with_all && (is_wrong || (r->is_persistent && r->form == collective));
}

static int frees_comm_early(const struct row* r) {
  return with_all || !is_openmpi || (r->form != collective && r->form != duplicate);
}

/// Objects of its own for each call.
static void make_objects(struct call* k, const struct row* r, int which) {
  const int periodic = 1;
  if (r->has_neighbours) OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &periodic, 0, &k->comm));
  else OK(MPI_Comm_dup(MPI_COMM_WORLD, &k->comm));
  for (int i = 0; i < 2; ++i) {
    k->type[i] = new_type();
    for (int j = 0; j < most; ++j) k->types[i][j] = new_type();
  }
  OK(MPI_Op_create(add, 1, &k->op));
  OK(MPI_Info_create(&k->info));
  fill(k->sent, room, me, which, 0);
  memcpy(k->got, k->sent, sizeof k->got);
  k->partner = MPI_REQUEST_NULL;
}

static void free_comm(struct call* k) {
  if (k->comm != MPI_COMM_NULL) OK(MPI_Comm_free(&k->comm));
}

static void free_objects(struct call* k) {
  OK(MPI_Op_free(&k->op));
  OK(MPI_Info_free(&k->info));
  for (int i = 0; i < 2; ++i) {
    OK(MPI_Type_free(&k->type[i]));
    for (int j = 0; j < most; ++j) OK(MPI_Type_free(&k->types[i][j]));
  }
}

static void begin_call(struct call* k, const struct row* r) {
  const MPI_Datatype t = k->type[1];
  if (r->form == out || r->form == ready) OK(MPI_Recv_init(k->got, 1, t, left, tag, k->comm, &k->partner));
  if (r->form == in) OK(MPI_Send_init(k->sent, 1, t, right, tag, k->comm, &k->partner));
#if MPI_VERSION >= 4
  if (r->form == parts_out) OK(MPI_Precv_init(k->got, 1, 1, t, left, tag, k->comm, MPI_INFO_NULL, &k->partner));
  if (r->form == parts_in) OK(MPI_Psend_init(k->sent, 1, 1, t, right, tag, k->comm, MPI_INFO_NULL, &k->partner));
#endif
  if (r->form == matched) {
    OK(MPI_Isend(k->sent, 1, t, right, tag, k->comm, &k->partner));
    OK(MPI_Mprobe(left, tag, k->comm, &k->message, MPI_STATUS_IGNORE));
  }
  if (r->form == ready && !r->is_persistent) {
    OK(MPI_Start(&k->partner));
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  CHECK(r->begin(k) == MPI_SUCCESS, "%s", r->name);
}

/// One completion. The partner starts here, but one that had to be there before.
static void complete_call(struct call* k, const struct row* r) {
  const int starts_partner = k->partner != MPI_REQUEST_NULL && r->form != matched;
  if (r->form == ready && r->is_persistent) {
    OK(MPI_Start(&k->partner));
    OK(MPI_Barrier(MPI_COMM_WORLD));
  }
  if (r->is_persistent) OK(MPI_Start(&k->request));
  if (starts_partner && r->form != ready) OK(MPI_Start(&k->partner));
#if MPI_VERSION >= 4
  if (r->form == parts_out) OK(MPI_Pready(0, k->request));
  if (r->form == parts_in) OK(MPI_Pready(0, k->partner));
#endif
  OK(MPI_Wait(&k->request, MPI_STATUS_IGNORE));
  OK(MPI_Wait(&k->partner, MPI_STATUS_IGNORE));
  if (r->form != duplicate) return;
  OK(MPI_Allreduce(k->sent, k->got, 1, MPI_INT, MPI_MAX, k->made));
  OK(MPI_Comm_free(&k->made));
}

static void end_call(struct call* k) {
  if (k->request != MPI_REQUEST_NULL) OK(MPI_Request_free(&k->request));
  if (k->partner != MPI_REQUEST_NULL) OK(MPI_Request_free(&k->partner));
}

static void expect(void) {
  for (int i = 0; i < all_rows; ++i) {
    if (is_left_out(rows + i)) continue;
    make_objects(calls + i, rows + i, i);
    begin_call(calls + i, rows + i);
    complete_call(calls + i, rows + i);
    memcpy(expected[i], calls[i].got, sizeof expected[i]);
    end_call(calls + i);
    free_objects(calls + i);
    free_comm(calls + i);
  }
}

static void complete_all(int second) {
  for (int i = 0; i < all_rows; ++i) {
    if (is_left_out(rows + i) || (second && !rows[i].is_persistent)) continue;
    complete_call(calls + i, rows + i);
    CHECK(memcmp(calls[i].got, expected[i], sizeof expected[i]) == 0, "%s", rows[i].name);
    got(calls[i].got, sizeof calls[i].got);
    fill(calls[i].got, room, me, i, 0);
  }
}

/// Requests on a communicator that only one rank still uses, and a message that was matched before it was freed.
struct lonely {
  MPI_Request send, receive;
  MPI_Message message;
  int sent[2], got[2];
};
static void begin_lonely(struct lonely* l) {
  MPI_Comm comm, other;
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
  OK(MPI_Comm_split(MPI_COMM_WORLD, 0, me, &other));
  if (me == 0) {
    OK(MPI_Send_init(&l->sent[0], 1, MPI_INT, 0, tag, comm, &l->send));
    OK(MPI_Recv_init(&l->got[0], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &l->receive));
  }
  MPI_Request sent;
  OK(MPI_Isend(&l->sent[1], 1, MPI_INT, right, tag, other, &sent));
  OK(MPI_Mprobe(left, tag, other, &l->message, MPI_STATUS_IGNORE));
  OK(MPI_Request_free(&sent));
  OK(MPI_Comm_free(&other));
  OK(MPI_Comm_free(&comm));
}
static void end_lonely(struct lonely* l) {
  MPI_Request r;
  OK(MPI_Imrecv(&l->got[1], 1, MPI_INT, &l->message, &r));
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  got_int(l->got[1]);
  if (me != 0) return;
  OK(MPI_Start(&l->send));
  OK(MPI_Start(&l->receive));
  OK(MPI_Wait(&l->send, MPI_STATUS_IGNORE));
  OK(MPI_Wait(&l->receive, MPI_STATUS_IGNORE));
  got_int(l->got[0]);
  OK(MPI_Request_free(&l->send));
  OK(MPI_Request_free(&l->receive));
}

static void pause_here(void) {
  const struct timespec pause = {0, pause_ms * 1000000L};
  if (pause_ms > 0) nanosleep(&pause, NULL);
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  with_all = argc > 3 && strcmp(argv[3], "all") == 0;
  left = (me + ranks - 1) % ranks, right = (me + 1) % ranks, root = ranks - 1;
  for (int i = 0; i < most; ++i) {
    wide_counts[i] = counts[i] = 1;
    wide_places[i] = places[i] = i;
    wide_bytes[i] = bytes[i] = i * 3 * (int)sizeof(int);
  }
  static char attached[1 << 16];
  OK(MPI_Buffer_attach(attached, sizeof attached));
  expect();
  for (int k = 0; k < steps; ++k) {
    struct lonely l = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_MESSAGE_NULL, {k, 1000 * me + k}, {-1, -1}};
    begin_lonely(&l);
    for (int i = 0; i < all_rows; ++i) {
      if (is_left_out(rows + i)) continue;
      make_objects(calls + i, rows + i, i);
      begin_call(calls + i, rows + i);
      free_objects(calls + i);
      if (frees_comm_early(rows + i)) free_comm(calls + i);
    }
    pause_here();
    complete_all(0);
    end_lonely(&l);
    pause_here();
    complete_all(1);
    for (int i = 0; i < all_rows; ++i) {
      if (is_left_out(rows + i)) continue;
      end_call(calls + i);
      free_comm(calls + i);
    }
    step(k);
  }
  void* address;
  int size;
  OK(MPI_Buffer_detach(&address, &size));
  return finish();
}
