// Collectives of every kind: blocking, non-blocking and persistent ones, with what each rank must receive.
#pragma once
#include "pending.h"

enum kind {
  barrier, bcast, allgather, allgatherv, alltoall, alltoallv, alltoallw, gather, gatherv, scatter, scatterv, reduce,
  allreduce, intercomm_kinds,
  reduce_scatter_block = intercomm_kinds, reduce_scatter, scan, exscan, intracomm_kinds,
  neighbor_allgather = intracomm_kinds, neighbor_allgatherv, neighbor_alltoall, neighbor_alltoallv, neighbor_alltoallw,
  kinds
};
enum form { blocking, nonblocking, persistent };
enum { modulus = 9973, most_slots = 16 };

/// number: of the data; shape: of the counts, the same in all rounds of a persistent one. out, in, want: ints in slots
/// of `stride`, one for each peer, or one for all. counts and places as in the v and w forms.
struct coll {
  enum kind kind;
  struct comm* comm;
  int number, shape, length, stride, root_side, root, in_place, op_kind, outs, ins;
  int to[most_slots], from[most_slots], unit_counts[most_slots];
  int out_counts[most_slots], in_counts[most_slots], out_places[most_slots], in_places[most_slots];
  MPI_Datatype types[most_slots];
  MPI_Op op;
  int *out, *in, *want, cells;
};

static MPI_Op sum_op, affine_op;
static MPI_Datatype pair_type;

static void add(void* in, void* both, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) ((int*)both)[i] = (((int*)in)[i] + ((int*)both)[i]) % modulus;
}

/// x -> a x + b: composition is associative, not commutative.
static void compose(void* in, void* both, int* n, MPI_Datatype* type) {
  (void)type;
  for (int i = 0; i < *n; ++i) {
    const int *f = (int*)in + 2 * i;
    int* g = (int*)both + 2 * i;
    const int a = f[0] * g[0] % modulus, b = (f[1] * g[0] + g[1]) % modulus;
    g[0] = a, g[1] = b;
  }
}

static int small(int from, int number, int i) { return val(from, from, number, i) % modulus; }

/// What the operation gives over `n` members, their elements from `first` on.
static void reduced(const struct coll* c, const int* who, int n, int first, int count, int* to) {
  int* left = malloc((size_t)count * sizeof(int) + 8);
  for (int i = 0; i < count; ++i) to[i] = small(who[n - 1], c->number, first + i);
  for (int r = n - 2; r >= 0; --r) {
    for (int i = 0; i < count; ++i) left[i] = small(who[r], c->number, first + i);
    int pairs = count / 2;
    if (c->op_kind == 4) compose(left, to, &pairs, NULL);
    if (c->op_kind == 3) add(left, to, &count, NULL);
    for (int i = 0; i < count; ++i) {
      if (c->op_kind == 0) to[i] += left[i];
      if (c->op_kind == 1 && left[i] > to[i]) to[i] = left[i];
      if (c->op_kind == 2) to[i] ^= left[i];
    }
  }
  free(left);
}

static int varying(int from, int to, int number, int length) { return val(from, to, number, 77) % (length + 1); }

/// The neighbours that a process sends to and receives from, as ranks in MPI_COMM_WORLD. Returns whether some process
/// may have neighbours in one direction only.
static int neighbours(struct comm* c, struct coll* k) {
  int near[most_slots], weights[most_slots], n = 0, out[most_slots], weighted = 0;
  if (c->kind == cart) {
    OK(MPI_Cartdim_get(c->handle, &n));
    for (int d = 0; d < n; ++d) OK(MPI_Cart_shift(c->handle, d, 1, &near[2 * d], &near[2 * d + 1]));
    k->ins = k->outs = 2 * n;
    memcpy(out, near, sizeof near);
  } else if (c->kind == graph) {
    OK(MPI_Graph_neighbors_count(c->handle, c->rank, &n));
    OK(MPI_Graph_neighbors(c->handle, c->rank, n, near));
    k->ins = k->outs = n;
    memcpy(out, near, sizeof near);
  } else {
    OK(MPI_Dist_graph_neighbors_count(c->handle, &k->ins, &k->outs, &weighted));
    OK(MPI_Dist_graph_neighbors(c->handle, k->ins, near, weights, k->outs, out, weights));
  }
  for (int i = 0; i < k->ins; ++i) k->from[i] = near[i] == MPI_PROC_NULL ? -1 : c->who[0][near[i]];
  for (int i = 0; i < k->outs; ++i) k->to[i] = out[i] == MPI_PROC_NULL ? -1 : c->who[0][out[i]];
  return c->kind == dist;
}

static void fill_coll(struct coll* k) {
  for (int i = 0; i < k->cells; ++i) k->in[i] = k->want[i] = -1, k->out[i] = -2;
}

/// Buffers of `k` for its number: what is sent, what is there before, what has to be there after.
static void prepare(struct coll* k) {
  struct comm* c = k->comm;
  const int varies = k->kind == allgatherv || k->kind == alltoallv || k->kind == alltoallw || k->kind == gatherv ||
                     k->kind == scatterv || k->kind == neighbor_allgatherv || k->kind == neighbor_alltoallv ||
                     k->kind == neighbor_alltoallw;
  const int other = c->inter ? 1 - c->side : 0, n = c->n[other], length = k->length, stride = k->stride;
  const int* who = c->who[other];
  const int at_root = c->side == k->root_side && c->rank == k->root;
  const int contributes = !c->inter || c->side != k->root_side;
  const int root = c->who[k->root_side][k->root];
  const int to_all =
      k->kind == allgather || k->kind == allgatherv || k->kind == neighbor_allgather || k->kind == neighbor_allgatherv;
  if (k->kind < intracomm_kinds) {
    k->ins = k->outs = n;
    for (int i = 0; i < n; ++i) k->from[i] = k->to[i] = who[i];
  }
  fill_coll(k);
  for (int i = 0; i < most_slots; ++i) k->out_places[i] = k->in_places[i] = i * stride, k->types[i] = MPI_INT;
  for (int i = 0; i < most_slots; ++i) k->out_counts[i] = k->in_counts[i] = length;
  // With counts that vary: what a sends to b; a sends the same to all in a gather, the same from the root in a scatter.
#define COUNT(a, b) (varies ? varying(a, b, k->shape, length) : length)
  if (to_all) {
    k->out_counts[0] = COUNT(me, -1);
    for (int i = 0; i < k->out_counts[0]; ++i) k->out[i] = val(me, -1, k->number, i);
    for (int p = 0; p < k->ins; ++p) k->in_counts[p] = k->from[p] < 0 ? 0 : COUNT(k->from[p], -1);
    for (int p = 0; p < k->ins; ++p)
      for (int i = 0; i < k->in_counts[p]; ++i) k->want[p * stride + i] = val(k->from[p], -1, k->number, i);
    // The uniform form has room for nobody too.
    for (int p = 0; !varies && p < k->ins; ++p) k->in_counts[p] = length;
  } else if (k->kind >= neighbor_alltoall || (k->kind >= alltoall && k->kind <= alltoallw)) {
    for (int p = 0; p < k->outs; ++p) k->out_counts[p] = k->to[p] < 0 ? 0 : COUNT(me, k->to[p]);
    for (int p = 0; p < k->ins; ++p) k->in_counts[p] = k->from[p] < 0 ? 0 : COUNT(k->from[p], me);
    for (int p = 0; k->in_place && p < n; ++p) {      // what is sent is as long as what comes
      const int low = me < who[p] ? me : who[p], high = me < who[p] ? who[p] : me;
      int count = varies ? varying(low, high, k->shape, length) : length;
      // Open MPI 4.1.4: a process whose counts are all 0 takes no part in a non-blocking exchange in place, not in the
      // count of tags either: later messages on the communicator meet the wrong receives.
      if (over_openmpi && count == 0) count = 1;
      k->in_counts[p] = k->out_counts[p] = count;
    }
    for (int p = 0; p < k->outs; ++p)
      for (int i = 0; i < k->out_counts[p]; ++i) k->out[p * stride + i] = val(me, k->to[p], k->number, i);
    for (int p = 0; p < k->ins; ++p)
      for (int i = 0; i < k->in_counts[p]; ++i) k->want[p * stride + i] = val(k->from[p], me, k->number, i);
  } else if (k->kind == bcast) {
    for (int i = 0; i < length; ++i) {
      if (at_root) k->in[i] = k->want[i] = val(root, -1, k->number, i);
      else if (contributes) k->want[i] = val(root, -1, k->number, i);
    }
  } else if (k->kind == gather || k->kind == gatherv) {
    k->out_counts[0] = COUNT(me, -1);
    for (int i = 0; i < k->out_counts[0]; ++i) k->out[i] = val(me, -1, k->number, i);
    for (int p = 0; at_root && p < n; ++p) {
      k->in_counts[p] = COUNT(who[p], -1);
      for (int i = 0; i < k->in_counts[p]; ++i) k->want[p * stride + i] = val(who[p], -1, k->number, i);
    }
  } else if (k->kind == scatter || k->kind == scatterv) {
    k->in_counts[0] = COUNT(root, me);
    for (int i = 0; contributes && i < k->in_counts[0]; ++i) k->want[i] = val(root, me, k->number, i);
    for (int p = 0; at_root && p < n; ++p) {
      k->out_counts[p] = COUNT(root, who[p]);
      for (int i = 0; i < k->out_counts[p]; ++i) k->out[p * stride + i] = val(root, who[p], k->number, i);
    }
  } else if (k->kind != barrier) {      // reductions
    const int blocks = k->kind == reduce_scatter || k->kind == reduce_scatter_block ? n : 1;
    int first = 0, count = length;
    for (int p = 0; k->kind == reduce_scatter && p < n; ++p)
      k->in_counts[p] = 2 * varying(who[p], -1, k->shape, length / 2);
    for (int p = 0; blocks > 1 && p < c->rank; ++p) first += k->in_counts[p];
    if (k->kind == reduce_scatter) count = k->in_counts[c->rank];
    for (int i = 0; i < blocks * length; ++i) k->out[i] = small(me, k->number, i);
    if (k->kind == scan) reduced(k, who, c->rank + 1, 0, count, k->want);
    else if (k->kind == exscan && c->rank > 0) reduced(k, who, c->rank, 0, count, k->want);
    else if (k->kind != exscan && (k->kind != reduce || at_root)) reduced(k, who, n, first, count, k->want);
  }
  if (!k->in_place) return;
  if (k->kind == allgather || k->kind == allgatherv || k->kind == gather || k->kind == gatherv)
    memcpy(k->in + c->rank * stride, k->out, (size_t)k->out_counts[0] * sizeof(int));
  else if (k->kind == scatter || k->kind == scatterv)
    k->want[0] = -1, memcpy(k->want, k->in, (size_t)stride * sizeof(int));
  else memcpy(k->in, k->out, (size_t)k->cells * sizeof(int));
  if (k->kind >= alltoall && k->kind <= alltoallw)
    for (int i = 0; i < k->cells; ++i)
      if (k->want[i] == -1) k->in[i] = -1;
}

/// Chosen by all ranks alike; buffers of members.
static struct coll* new_coll(struct comm* c, int no_in_place) {
  struct coll* k = calloc(1, sizeof *k);
  const int most_kind = c->inter ? intercomm_kinds : c->kind == plain ? intracomm_kinds : kinds;
  k->comm = c, k->number = k->shape = ++serial;
  k->kind =
      (enum kind)(c->kind != plain && pick(2) ? intracomm_kinds + pick(kinds - intracomm_kinds) : pick(most_kind));
  k->length = 2 * (1 + pick(8)), k->stride = k->length + pick(3);
  if (pick(12) == 0) k->length = 4000, k->stride = 4000;
  if (k->kind == allgather || k->kind == alltoall || k->kind == gather || k->kind == scatter ||
      k->kind == neighbor_allgather || k->kind == neighbor_alltoall) k->stride = k->length;
  k->root_side = c->inter ? pick(2) : 0, k->root = pick(c->n[k->root_side]);
  // MPICH 4.0.2: MPI_Ibcast between groups of two and more gives nothing to anybody unless the root is rank 0.
  if (over_mpich && k->kind == bcast && c->inter) k->root = 0;
  k->op_kind = pick(5);
  k->op = (MPI_Op[]){MPI_SUM, MPI_MAX, MPI_BXOR, sum_op, affine_op}[k->op_kind];
  k->in_place =
      pick(3) == 0 && !c->inter && k->kind != bcast && k->kind != barrier && k->kind < intracomm_kinds && !no_in_place;
  if (!member(c)) return free(k), NULL;
  if (k->in_place &&
      (k->kind == gather || k->kind == gatherv || k->kind == scatter || k->kind == scatterv || k->kind == reduce))
    k->in_place = c->rank == k->root;
  // MPICH 4.0.2 reads a large operand at MPI_IN_PLACE, where the root is not the first process.
  if (over_mpich && k->kind == reduce && k->length > 100 && k->root > 0) k->in_place = 0;
  k->cells = most_slots * k->stride + 8;
  k->out = malloc((size_t)k->cells * sizeof(int)), k->in = malloc((size_t)k->cells * sizeof(int));
  k->want = malloc((size_t)k->cells * sizeof(int));
  const int one_way = k->kind >= intracomm_kinds && neighbours(c, k);
  // MPICH 4.0.2 moves nothing where a process has neighbours in one direction only.
  if (one_way && k->kind == neighbor_alltoallw) k->kind = neighbor_alltoallv;
  prepare(k);
  return k;
}

#if MPI_VERSION >= 4
#define PERSISTENT(Name, ...) MPI_##Name##_init(__VA_ARGS__, k->comm->handle, MPI_INFO_NULL, request)
#define PERSISTENT_BARRIER MPI_Barrier_init(k->comm->handle, MPI_INFO_NULL, request)
#else
#define PERSISTENT(...) MPI_ERR_OTHER
#define PERSISTENT_BARRIER MPI_ERR_OTHER
#endif
#define CALL(Name, name, ...) \
  OK(form == blocking ? MPI_##Name(__VA_ARGS__, k->comm->handle) \
     : form == nonblocking ? MPI_I##name(__VA_ARGS__, k->comm->handle, request) : PERSISTENT(Name, __VA_ARGS__))

/// Datatypes of one call: each: of its elements, unit: of a reduction's operands. `owned`: freed as soon as it has begun.
struct coll_types { MPI_Datatype each, unit; int owned; };

/// A predefined operation takes predefined datatypes only.
static struct coll_types types_of(struct coll* k, enum form form) {
  struct coll_types t = {MPI_INT, k->op_kind == 4 ? pair_type : MPI_INT, 0};
  t.owned = form != blocking && mix((uint64_t)k->number * most_ranks + (uint64_t)me) % 2;
  // Open MPI 4.1.4 does not keep datatypes of MPI_Ialltoallw in place: once they are freed the exchange is incomplete.
  if (over_openmpi && k->kind == alltoallw && k->in_place) t.owned = 0;
  if (t.owned) OK(MPI_Type_dup(MPI_INT, &t.each));
  if (t.owned && k->op_kind >= 3) OK(MPI_Type_dup(t.unit, &t.unit));
  for (int i = 0; i < most_slots; ++i) k->types[i] = t.each;
  return t;
}

static void free_types(const struct coll* k, struct coll_types t) {
  if (!t.owned) return;
  OK(MPI_Type_free(&t.each));
  if (k->op_kind >= 3) OK(MPI_Type_free(&t.unit));
}

static void call(struct coll* k, enum form form, MPI_Request* request) {
  struct comm* c = k->comm;
  if (trace)
    fprintf(trace, "%d: kind %d, form %d, of %s, number %d, length %d, op %d, in place %d, root %d of %d\n", action,
            k->kind, form, c->name, k->number, k->length, k->op_kind, k->in_place, k->root, k->root_side);
  const int n = k->length, same_side = c->side == k->root_side;
  const int root = !c->inter || !same_side ? k->root : c->rank == k->root ? MPI_ROOT : MPI_PROC_NULL;
  void* in = k->in;
  const void* out = k->in_place ? MPI_IN_PLACE : k->out;
  void* scattered = k->in_place ? MPI_IN_PLACE : k->in;
  const struct coll_types own = types_of(k, form);
  const MPI_Datatype unit = own.unit, each = own.each;
  const int units = k->op_kind == 4 ? n / 2 : n;
  static MPI_Aint out_bytes[most_slots], in_bytes[most_slots];
  if (k->kind == reduce_scatter)
    for (int p = 0; p < c->n[0]; ++p) k->unit_counts[p] = k->op_kind == 4 ? k->in_counts[p] / 2 : k->in_counts[p];
  MPI_Aint* ob = form == blocking ? out_bytes : malloc(sizeof out_bytes);     // they stay until the end of the program
  MPI_Aint* ib = form == blocking ? in_bytes : malloc(sizeof in_bytes);
  int *oi = NULL, *ii = NULL;
  if (k->kind == alltoallw) oi = malloc(sizeof k->out_places), ii = malloc(sizeof k->in_places);
  for (int p = 0; p < most_slots; ++p) {
    ob[p] = 4 * k->out_places[p], ib[p] = 4 * k->in_places[p];
    if (oi) oi[p] = 4 * k->out_places[p], ii[p] = 4 * k->in_places[p];
  }
  switch (k->kind) {
    case barrier:
      OK(form == blocking      ? MPI_Barrier(c->handle)
         : form == nonblocking ? MPI_Ibarrier(c->handle, request)
                               : PERSISTENT_BARRIER);
      break;
    case bcast: CALL(Bcast, bcast, in, n, each, root); break;
    case gather: CALL(Gather, gather, out, n, each, in, n, each, root); break;
    case gatherv:
      CALL(Gatherv, gatherv, out, k->out_counts[0], each, in, k->in_counts, k->in_places, each, root);
      break;
    case scatter: CALL(Scatter, scatter, k->out, n, each, scattered, n, each, root); break;
    case scatterv:
      CALL(Scatterv, scatterv, k->out, k->out_counts, k->out_places, each, scattered, k->in_counts[0], each,
           root);
      break;
    case allgather: CALL(Allgather, allgather, out, n, each, in, n, each); break;
    case allgatherv:
      CALL(Allgatherv, allgatherv, out, k->out_counts[0], each, in, k->in_counts, k->in_places, each);
      break;
    case alltoall: CALL(Alltoall, alltoall, out, n, each, in, n, each); break;
    case alltoallv:
      CALL(Alltoallv, alltoallv, out, k->out_counts, k->out_places, each, in, k->in_counts, k->in_places, each);
      break;
    case alltoallw: CALL(Alltoallw, alltoallw, out, k->out_counts, oi, k->types, in, k->in_counts, ii, k->types); break;
    case reduce: CALL(Reduce, reduce, out, in, units, unit, k->op, root); break;
    case allreduce: CALL(Allreduce, allreduce, out, in, units, unit, k->op); break;
    case reduce_scatter_block: CALL(Reduce_scatter_block, reduce_scatter_block, out, in, units, unit, k->op); break;
    case reduce_scatter: CALL(Reduce_scatter, reduce_scatter, out, in, k->unit_counts, unit, k->op); break;
    case scan: CALL(Scan, scan, out, in, units, unit, k->op); break;
    case exscan: CALL(Exscan, exscan, out, in, units, unit, k->op); break;
    case neighbor_allgather: CALL(Neighbor_allgather, neighbor_allgather, out, n, each, in, n, each); break;
    case neighbor_allgatherv:
      CALL(Neighbor_allgatherv, neighbor_allgatherv, out, k->out_counts[0], each, in, k->in_counts, k->in_places,
           each);
      break;
    case neighbor_alltoall: CALL(Neighbor_alltoall, neighbor_alltoall, out, n, each, in, n, each); break;
    case neighbor_alltoallv:
      CALL(Neighbor_alltoallv, neighbor_alltoallv, out, k->out_counts, k->out_places, each, in, k->in_counts,
           k->in_places, each);
      break;
    case neighbor_alltoallw:
      CALL(Neighbor_alltoallw, neighbor_alltoallw, out, k->out_counts, ob, k->types, in, k->in_counts, ib, k->types);
      break;
    default: break;
  }
  free_types(k, own);
}

static void free_coll(struct coll* k) { free(k->out), free(k->in), free(k->want), free(k); }

/// Neighbours may be listed in any order: the sum over them does not show it.
static void look_at(struct coll* k) {
  // Of a reduction in place, what lies behind the result; what exscan gives to the first.
  const int undefined = k->kind == exscan || (k->in_place && k->kind >= reduce);
  for (int i = 0; i < k->cells; ++i)
    if (k->in[i] != k->want[i] && !(undefined && k->want[i] == -1)) {
      CHECK(k->in[i] == k->want[i],
            "kind %d, element %d of number %d: %d, not %d (length %d, stride %d, in place %d, op %d)", k->kind, i,
            k->number, k->in[i], k->want[i], k->length, k->stride, k->in_place, k->op_kind);
      return;
    }
  const int slots = k->kind < intracomm_kinds ? most_slots : k->ins;
  for (int p = 0; p < slots; ++p) took(k->number, k->want + p * k->stride, (size_t)k->stride * sizeof(int));
}

static void check_coll(struct coll* k) {
  look_at(k);
  free_coll(k);
}

static void blocking_collective(void) {
  struct comm* c = some_comm(any_side);
  struct coll* k = new_coll(c, 0);
  if (k) call(k, blocking, NULL), check_coll(k);
}

/// Several at once, on different communicators in an order of each rank's own; some operations and datatypes are freed.
static void nonblocking_collectives(void) {
  struct coll* begun[3];
  struct comm* on[3];
  int n = 1 + pick(3), m = 0;
  for (int i = 0; i < n; ++i) {
    on[i] = some_comm(any_side);
    int twice = 0;
    for (int j = 0; j < i; ++j) twice |= on[j] == on[i];
    struct coll* k = twice ? NULL : new_coll(on[i], 0);
    if (k) begun[m++] = k;
  }
  for (; m > 0; --m) {
    const int at = mine(m);
    struct coll* k = begun[at];
    begun[at] = begun[m - 1];
    MPI_Op own = MPI_OP_NULL;
    if (k->op_kind >= 3 && mine(2)) {
      OK(MPI_Op_create(k->op_kind == 3 ? add : compose, k->op_kind == 3, &own));
      k->op = own;
    }
    struct pending* p = new_pending(collective, k->comm, k->number, 1);
    p->coll = k;
    call(k, nonblocking, &p->request);
    if (own != MPI_OP_NULL) OK(MPI_Op_free(&own));
  }
}
