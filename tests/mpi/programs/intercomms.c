// Intercommunicators: one that lives across the steps, duplicates and splits of it, ones that are made, merged and freed
// in each step; messages, probes, blocking and non-blocking collectives, with and without roots. One rank alone has no
// second group, and nothing to do.
#include "check.h"

enum { most = 16 };

static int side;                       // of this rank: 0 the even ones, 1 the odd ones
static int own_size, other_size, own_rank;
static MPI_Comm half, kept, copy, crossed;

static int world_of(int of_side, int rank) { return 2 * rank + of_side; }

/// Both sides' even ranks of the half, and both sides' odd ones; without a partner on the other side there is none.
static MPI_Comm split_of(MPI_Comm inter, int k) {
  MPI_Comm made;
  OK(MPI_Comm_split(inter, own_rank % 2, (k % 2 == 0 ? 1 : -1) * own_rank, &made));
  return made;
}

static MPI_Comm between_halves(int tag) {
  MPI_Comm made;
  OK(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - side, tag, &made));
  return made;
}

static void ask(MPI_Comm inter, int own, int other) {
  int is_inter, size, rank, remote;
  OK(MPI_Comm_test_inter(inter, &is_inter));
  OK(MPI_Comm_size(inter, &size));
  OK(MPI_Comm_rank(inter, &rank));
  OK(MPI_Comm_remote_size(inter, &remote));
  CHECK(is_inter && size == own && remote == other && rank < size, "%d of %d and %d", rank, size, remote);
  MPI_Group here, there, both;
  OK(MPI_Comm_group(inter, &here));
  OK(MPI_Comm_remote_group(inter, &there));
  OK(MPI_Group_union(here, there, &both));
  OK(MPI_Group_size(both, &size));
  CHECK(size == own + other, "%d", size);
  OK(MPI_Group_free(&here));
  OK(MPI_Group_free(&there));
  OK(MPI_Group_free(&both));
}

/// Every rank of one side with every rank of the other: a send and a receive of each kind.
static void messages(MPI_Comm inter, int k) {
  int out[most][3], in[most][3];
  MPI_Request requests[2 * most];
  MPI_Status status;
  int n = 0;
  for (int r = 0; r < other_size; ++r) {
    fill(out[r], 3, me, world_of(1 - side, r), k);
    OK(MPI_Irecv(in[r], 3, MPI_INT, r, k % 7, inter, &requests[n++]));
  }
  for (int r = 0; r < other_size; ++r) OK(MPI_Isend(out[r], 3, MPI_INT, r, k % 7, inter, &requests[n++]));
  OK(MPI_Waitall(n, requests, MPI_STATUSES_IGNORE));
  for (int r = 0; r < other_size; ++r) SAME(in[r], 3, world_of(1 - side, r), me, k);

  // A message from anyone of the other side, found by a probe.
  const int partner = own_rank;
  if (partner < other_size) {
    OK(MPI_Send(out[partner], 3, MPI_INT, partner, 50, inter));
    OK(MPI_Probe(MPI_ANY_SOURCE, 50, inter, &status));
    CHECK(status.MPI_SOURCE == partner, "%d", status.MPI_SOURCE);
    OK(MPI_Recv(in[partner], 3, MPI_INT, status.MPI_SOURCE, 50, inter, &status));
    SAME(in[partner], 3, world_of(1 - side, partner), me, k);
  }
  if (partner < other_size) {
    OK(MPI_Sendrecv(out[partner], 3, MPI_INT, partner, 51, in[partner], 3, MPI_INT, partner, 51, inter, &status));
    SAME(in[partner], 3, world_of(1 - side, partner), me, k);
  }
}

/// The root's side is known to all; it gives or gets, its group stands by.
static int root_of(int root_side) {
  return side != root_side ? 0 : own_rank == 0 ? MPI_ROOT : MPI_PROC_NULL;
}

static void rooted(MPI_Comm inter, int k, int at_once) {
  for (int from = 0; from < 2; ++from) {
    const int root = root_of(from), is_root = root == MPI_ROOT, is_leaf = side != from;
    int all[most], v[2];
    MPI_Request request = MPI_REQUEST_NULL;
    const int there = from == side ? other_size : own_size;     // of the side without the root
    fill(v, 2, from, 99, k);
    if (is_leaf) v[0] = v[1] = -1;
    if (at_once) OK(MPI_Bcast(v, 2, MPI_INT, root, inter));
    else {
      OK(MPI_Ibcast(v, 2, MPI_INT, root, inter, &request));
      OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    SAME(v, 2, from, 99, k);

    int one = val(me, from, k, 1), sum = -1, want = 0;
    if (at_once) OK(MPI_Gather(&one, 1, MPI_INT, all, 1, MPI_INT, root, inter));
    else {
      OK(MPI_Igather(&one, 1, MPI_INT, all, 1, MPI_INT, root, inter, &request));
      OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    for (int r = 0; is_root && r < there; ++r) {
      CHECK(all[r] == val(world_of(1 - side, r), from, k, 1), "from %d", r);
      got_int(all[r]);
      want ^= all[r];
    }
    OK(MPI_Reduce(&one, &sum, 1, MPI_INT, MPI_BXOR, root, inter));
    if (is_root) CHECK(sum == want, "%d, not %d", sum, want);

    int counts[most], places[most];
    for (int r = 0; r < there; ++r) counts[r] = 1, places[r] = there - 1 - r, all[places[r]] = val(from, r, k, 2);
    OK(MPI_Scatterv(all, counts, places, MPI_INT, &one, 1, MPI_INT, root, inter));
    if (is_leaf) CHECK(one == val(from, own_rank, k, 2), "%d", one);
    if (is_leaf) got_int(one);
  }
}

static void of_all(MPI_Comm inter, int k, int at_once) {
  int all[most], one = val(me, 0, k, 3), want = 0, found = -1;
  MPI_Request request;
  for (int r = 0; r < other_size; ++r) want ^= val(world_of(1 - side, r), 0, k, 3);
  if (at_once) {
    OK(MPI_Barrier(inter));
    OK(MPI_Allreduce(&one, &found, 1, MPI_INT, MPI_BXOR, inter));
    OK(MPI_Allgather(&one, 1, MPI_INT, all, 1, MPI_INT, inter));
  } else {
    OK(MPI_Ibarrier(inter, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Iallreduce(&one, &found, 1, MPI_INT, MPI_BXOR, inter, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
    OK(MPI_Iallgather(&one, 1, MPI_INT, all, 1, MPI_INT, inter, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  CHECK(found == want, "%d, not %d", found, want);
  got_int(found);
  for (int r = 0; r < other_size; ++r) CHECK(all[r] == val(world_of(1 - side, r), 0, k, 3), "from %d", r);

  int out[most], counts[most], bytes[most];
  MPI_Datatype types[most];
  for (int r = 0; r < other_size; ++r) {
    out[r] = val(me, world_of(1 - side, r), k, 4);
    counts[r] = 1, bytes[r] = (int)sizeof(int) * r, types[r] = MPI_INT;
  }
  OK(MPI_Alltoall(out, 1, MPI_INT, all, 1, MPI_INT, inter));
  for (int r = 0; r < other_size; ++r) CHECK(all[r] == val(world_of(1 - side, r), me, k, 4), "from %d", r);
  for (int r = 0; r < other_size; ++r) all[r] = -1;
  if (at_once) OK(MPI_Alltoallw(out, counts, bytes, types, all, counts, bytes, types, inter));
  else {
    OK(MPI_Ialltoallw(out, counts, bytes, types, all, counts, bytes, types, inter, &request));
    OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  }
  for (int r = 0; r < other_size; ++r) {
    CHECK(all[r] == val(world_of(1 - side, r), me, k, 4), "from %d", r);
    got_int(all[r]);
  }
}

/// Into one communicator and back: the order says who was asked to be high.
static void merge(MPI_Comm inter, int k) {
  MPI_Comm merged, again;
  int rank, size, result, flag;
  const int high = (side + k) % 2;
  OK(MPI_Intercomm_merge(inter, high, &merged));
  OK(MPI_Comm_size(merged, &size));
  OK(MPI_Comm_rank(merged, &rank));
  CHECK(size == own_size + other_size && rank == (high ? other_size : 0) + own_rank, "%d of %d", rank, size);
  OK(MPI_Comm_test_inter(merged, &flag));
  CHECK(!flag, "merged");
  OK(MPI_Comm_compare(merged, inter, &result));
  CHECK(result == MPI_UNEQUAL, "%d", result);
  int sum = 0, one = 1 + me;
  OK(MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, merged));
  CHECK(sum == ranks * (ranks + 1) / 2, "%d", sum);
  OK(MPI_Intercomm_create(half, own_size - 1, merged, (high ? 0 : own_size) + other_size - 1, 12, &again));
  ask(again, own_size, other_size);
  OK(MPI_Comm_compare(inter, again, &result));
  CHECK(result == MPI_CONGRUENT, "%d", result);
  rooted(again, k, 1);
  OK(MPI_Comm_free(&again));
  OK(MPI_Comm_free(&merged));
}

static void use(MPI_Comm inter, int k) {
  ask(inter, own_size, other_size);
  messages(inter, k);
  rooted(inter, k, k % 2);
  of_all(inter, k, k % 2);
}

/// Ranks of the half by their parity: own_rank / 2 of those.
static void use_split(MPI_Comm inter, int k) {
  const int parity = own_rank % 2, here = (own_size + 1 - parity) / 2, there = (other_size + 1 - parity) / 2;
  if (there == 0) {
    CHECK(inter == MPI_COMM_NULL, "nobody on the other side");
    return;
  }
  ask(inter, here, there);
  int v = val(side, parity, k, 5), found = -1, want = there % 2 == 0 ? 0 : val(1 - side, parity, k, 5);
  OK(MPI_Allreduce(&v, &found, 1, MPI_INT, MPI_BXOR, inter));
  CHECK(found == want, "%d, not %d", found, want);
  got_int(found);
}

static void with_other_half(int k) {
  MPI_Comm brief = between_halves(k % 5), dup, part = split_of(kept, k), made;
  MPI_Request request;
  MPI_Group here, first;
  const int zero = 0;
  use(brief, k);
  use(k % 2 == 0 ? kept : copy, k);
  use_split(crossed, k);
  use_split(part, k);
  OK(MPI_Comm_idup(brief, &dup, &request));
  OK(MPI_Wait(&request, MPI_STATUS_IGNORE));
  messages(dup, k);
  merge(brief, k);

  OK(MPI_Comm_group(kept, &here));
  OK(MPI_Group_incl(here, 1, &zero, &first));
  OK(MPI_Comm_create(kept, first, &made));
  CHECK((made != MPI_COMM_NULL) == (own_rank == 0), "the first of each side");
  if (made != MPI_COMM_NULL) ask(made, 1, 1);
  OK(MPI_Group_free(&first));
  OK(MPI_Group_free(&here));

  if (made != MPI_COMM_NULL) OK(MPI_Comm_free(&made));
  if (part != MPI_COMM_NULL) OK(MPI_Comm_free(&part));
  OK(MPI_Comm_free(&dup));
  OK(MPI_Comm_free(&brief));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (ranks > most) return 2;
  side = me % 2;
  own_rank = me / 2;
  own_size = (ranks + 1 - side) / 2;
  other_size = ranks - own_size;
  OK(MPI_Comm_split(MPI_COMM_WORLD, side, me, &half));
  if (ranks > 1) {
    kept = between_halves(3);
    OK(MPI_Comm_dup(kept, &copy));
    crossed = split_of(copy, 0);
  }
  for (int k = 0; k < steps; ++k) {
    if (ranks > 1) with_other_half(k);
    step(k);
  }
  if (ranks > 1) {
    if (crossed != MPI_COMM_NULL) OK(MPI_Comm_free(&crossed));
    OK(MPI_Comm_free(&copy));
    OK(MPI_Comm_disconnect(&kept));
  }
  OK(MPI_Comm_free(&half));
  return finish();
}
