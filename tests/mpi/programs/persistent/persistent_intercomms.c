// Persistent collectives and partitioned messages between two groups: requests that live across the steps, with a root
// on either side, and others that are made and freed in between, beside a duplicate that is freed before its requests.
// One rank alone has no second group, and nothing to do.
#include "../check.h"

enum { most = 16, parts = 6, part = 4 };
enum { bcast, gather, scatter, reduce, rooted };        // each from both sides
enum { allreduce = 2 * rooted, allgather, alltoall, alltoallw, barrier, collectives };
enum { sent = collectives, received, all_requests };

static int side, own_size, other_size, own_rank;       // side: 0 the even ranks, 1 the odd ones
static MPI_Comm half;

typedef struct {
  MPI_Comm inter;
  MPI_Request requests[all_requests];
  int out[collectives][most], in[collectives][most], message_out[parts * part], message_in[parts * part];
  int counts[most], bytes[most];
  MPI_Datatype types[most];
  int age;
} life;
static life kept, brief;

static int world_of(int of_side, int rank) { return 2 * rank + of_side; }
static int root_of(int root_side) {
  return side != root_side ? 0 : own_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
}

static void initialise(life* l, MPI_Comm inter) {
  MPI_Request* const q = l->requests;
  const MPI_Info none = MPI_INFO_NULL;
  l->inter = inter;
  l->age = 0;
  for (int r = 0; r < most; ++r) l->counts[r] = 1, l->bytes[r] = r * (int)sizeof(int), l->types[r] = MPI_INT;
  for (int from = 0; from < 2; ++from) {
    const int root = root_of(from), b = from * rooted;
    int (*s)[most] = l->out + b, (*d)[most] = l->in + b;
    OK(MPI_Bcast_init(side == from ? s[bcast] : d[bcast], 3, MPI_INT, root, inter, none, &q[b + bcast]));
    OK(MPI_Gather_init(s[gather], 1, MPI_INT, d[gather], 1, MPI_INT, root, inter, none, &q[b + gather]));
    OK(MPI_Scatter_init(s[scatter], 1, MPI_INT, d[scatter], 1, MPI_INT, root, inter, none, &q[b + scatter]));
    OK(MPI_Reduce_init(s[reduce], d[reduce], 2, MPI_INT, MPI_BXOR, root, inter, none, &q[b + reduce]));
  }
  OK(MPI_Allreduce_init(l->out[allreduce], l->in[allreduce], 2, MPI_INT, MPI_BXOR, inter, none, &q[allreduce]));
  OK(MPI_Allgather_init(l->out[allgather], 1, MPI_INT, l->in[allgather], 1, MPI_INT, inter, none, &q[allgather]));
  OK(MPI_Alltoall_init(l->out[alltoall], 1, MPI_INT, l->in[alltoall], 1, MPI_INT, inter, none, &q[alltoall]));
  OK(MPI_Alltoallw_init(l->out[alltoallw], l->counts, l->bytes, l->types, l->in[alltoallw], l->counts, l->bytes,
                        l->types, inter, none, &q[alltoallw]));
  OK(MPI_Barrier_init(inter, none, &q[barrier]));
  const int partner = own_rank < other_size ? own_rank : MPI_PROC_NULL;
  OK(MPI_Psend_init(l->message_out, parts, part, MPI_INT, partner, 9, inter, none, &q[sent]));
  OK(MPI_Precv_init(l->message_in, parts / 2, 2 * part, MPI_INT, partner, 9, inter, none, &q[received]));
}

static void end(life* l) {
  for (int i = 0; i < all_requests; ++i) {
    OK(MPI_Request_free(&l->requests[i]));
    CHECK(l->requests[i] == MPI_REQUEST_NULL, "%d", i);
  }
}

/// Which side's, which operation, whose, for whom.
static int element(int o, int from, int to, int k) { return val(from + 50 * o, to, k, 2); }

static void prepare(life* l, int k) {
  memset(l->in, 0xff, sizeof l->in);
  for (int o = 0; o < collectives; ++o)
    for (int i = 0; i < most; ++i) {
      const int for_each = o % rooted == scatter || o == alltoall || o == alltoallw;
      l->out[o][i] = element(o, me, for_each ? world_of(1 - side, i) : i, k);
    }
  fill(l->message_out, parts * part, me, 77, k);
  memset(l->message_in, 0xff, sizeof l->message_in);
}

static int reduced(int o, int i, int k) {
  int want = 0;
  for (int r = 0; r < other_size; ++r) want ^= element(o, world_of(1 - side, r), i, k);
  return want;
}

static void is(int o, int i, int found, int want) {
  CHECK(found == want, "collective %d, [%d]: %d not %d", o, i, found, want);
  got_int(found);
}

static void verify(const life* l, int k) {
  for (int from = 0; from < 2; ++from) {
    const int b = from * rooted, first = world_of(from, 0);
    if (side != from) {
      for (int i = 0; i < 3; ++i) is(b + bcast, i, l->in[b + bcast][i], element(b + bcast, first, i, k));
      is(b + scatter, 0, l->in[b + scatter][0], element(b + scatter, first, me, k));
    } else if (own_rank == 0) {
      for (int r = 0; r < other_size; ++r)
        is(b + gather, r, l->in[b + gather][r], element(b + gather, world_of(1 - side, r), 0, k));
      for (int i = 0; i < 2; ++i) is(b + reduce, i, l->in[b + reduce][i], reduced(b + reduce, i, k));
    }
  }
  for (int i = 0; i < 2; ++i) is(allreduce, i, l->in[allreduce][i], reduced(allreduce, i, k));
  for (int r = 0; r < other_size; ++r) {
    const int other = world_of(1 - side, r);
    is(allgather, r, l->in[allgather][r], element(allgather, other, 0, k));
    is(alltoall, r, l->in[alltoall][r], element(alltoall, other, me, k));
    is(alltoallw, r, l->in[alltoallw][r], element(alltoallw, other, me, k));
  }
  if (own_rank < other_size) SAME(l->message_in, parts * part, world_of(1 - side, own_rank), 77, k);
}

static void pause_or_compute(int k) {
  static volatile double x;
  for (int i = 0; i < 3000 * ((k + me) % 3); ++i) x = x * 0.5 + i;
  const struct timespec pause = {0, pause_ms * 500000L};
  if (pause_ms > 0) nanosleep(&pause, NULL);
}

/// Started in another order on each rank, as different requests may be.
static void live(life* l, int k) {
  const int from = (me * 5 + k) % all_requests;
  int flag = 0;
  prepare(l, k);
  for (int i = 0; i < all_requests; ++i) OK(MPI_Start(&l->requests[(from + i) % all_requests]));
  OK(MPI_Pready_range(1, parts - 1, l->requests[sent]));
  pause_or_compute(k);
  OK(MPI_Pready(0, l->requests[sent]));
  pause_or_compute(k + 1);
  if (k % 2 == 0) OK(MPI_Waitall(all_requests, l->requests, MPI_STATUSES_IGNORE));
  else while (!flag) OK(MPI_Testall(all_requests, l->requests, &flag, MPI_STATUSES_IGNORE));
  verify(l, k);
  ++l->age;
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (ranks > most) return 2;
  side = me % 2, own_rank = me / 2, own_size = (ranks + 1 - side) / 2, other_size = ranks - own_size;
  OK(MPI_Comm_split(MPI_COMM_WORLD, side, me, &half));
  MPI_Comm inter = MPI_COMM_NULL, copy;
  if (ranks > 1) {
    OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, 3, &inter));
    initialise(&kept, inter);
  }
  for (int k = 0; k < steps; ++k) {
    if (ranks > 1) {
      live(&kept, k);
      if (k % 4 == 0) {
        OK(MPI_Comm_dup(inter, &copy));
        initialise(&brief, copy);
        OK(MPI_Comm_free(&copy));      // its requests go on
      }
      if (k % 4 < 3) live(&brief, k);
      if (k % 4 == 2 + me % 2) end(&brief);    // some a step after the others
    }
    step(k);
  }
  if (ranks > 1) {
    if ((steps - 1) % 4 < 2 + me % 2) end(&brief);
    end(&kept);
    OK(MPI_Comm_free(&inter));
  }
  OK(MPI_Comm_free(&half));
  return finish();
}
