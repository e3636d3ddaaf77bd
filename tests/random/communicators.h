// Communicators come and go; groups, attributes, names, error handlers.
#pragma once
#include "lanes.h"
#include "rounds.h"

static int keyval = MPI_KEYVAL_INVALID, copied, copies, deleted, deletes, handled, handles;
static MPI_Errhandler handler;

static int copy_attribute(MPI_Comm old, int key, void* extra, void* in, void* out, int* flag) {
  (void)old, (void)key, (void)extra;
  *(void**)out = in, *flag = 1, ++copied;
  return MPI_SUCCESS;
}

static int delete_attribute(MPI_Comm old, int key, void* value, void* extra) {
  (void)old, (void)key, (void)value, (void)extra;
  ++deleted;
  return MPI_SUCCESS;
}

static void handle_error(MPI_Comm* comm, int* code, ...) { (void)comm, (void)code, ++handled; }

static void name_it(struct comm* c) {
  snprintf(c->name, sizeof c->name, "comm %d", ++serial);
  calling(c->name, __LINE__);
  if (member(c)) OK(MPI_Comm_set_name(c->handle, c->name));
}

/// The processes of one of its groups are those of who[side], in this order.
static void check_group(const struct comm* c, int side) {
  MPI_Group group, world;
  int size = -1, first[most_ranks], at[most_ranks];
  if (side == c->side) OK(MPI_Comm_group(c->handle, &group));
  else OK(MPI_Comm_remote_group(c->handle, &group));
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_size(group, &size));
  CHECK(size == c->n[side], "%d, not %d", size, c->n[side]);
  for (int i = 0; i < size; ++i) first[i] = i;
  OK(MPI_Group_translate_ranks(group, size, first, world, at));
  for (int i = 0; i < size; ++i) CHECK(at[i] == c->who[side][i], "%d: %d, not %d", i, at[i], c->who[side][i]);
  OK(MPI_Group_free(&group));
  OK(MPI_Group_free(&world));
}

/// Enters a new one whose members are in `like` already.
static void enter(struct comm* c) {
  c->used = 1;
  place(c);
  if (c->unborn != MPI_REQUEST_NULL) return;
  CHECK((c->handle == MPI_COMM_NULL) == (c->rank < 0), "rank %d", c->rank);
  if (c->handle == MPI_COMM_NULL) return;
  int rank = -1, size = -1;
  OK(MPI_Comm_rank(c->handle, &rank));
  OK(MPI_Comm_size(c->handle, &size));
  CHECK(rank == c->rank && size == c->n[c->side], "%d of %d, not %d of %d", rank, size, c->rank, c->n[c->side]);
  for (int side = 0; side <= c->inter; ++side) check_group(c, side);
}

static void duplicate(void) {
  // Open MPI 4.1.4 crashes or hangs in what follows a MPI_Comm_idup that was under way for a while, and hangs in some
  // duplications of intercommunicators.
  const int idups = !over_openmpi;
  struct comm *c = some_comm(over_openmpi ? 0 : any_side), *d = unused_comm(c);
  const int how = pick(3);
  if (d == NULL) return;
  memcpy(d->who, c->who, sizeof c->who), memcpy(d->n, c->n, sizeof c->n);
  d->inter = c->inter, d->kind = c->kind, d->attribute = c->attribute;
  if (member(c)) {
    copies += c->attribute != 0;
    MPI_Info info = MPI_INFO_NULL;
    if (how == 1) OK(MPI_Info_create(&info)), OK(MPI_Info_set(info, "random", "hint"));
    if (how == 0) OK(MPI_Comm_dup(c->handle, &d->handle));
    if (how == 1) OK(MPI_Comm_dup_with_info(c->handle, info, &d->handle)), OK(MPI_Info_free(&info));
    if (how == 2 && idups) OK(MPI_Comm_idup(c->handle, &d->handle, &d->unborn));
    if (how == 2 && !idups) OK(MPI_Comm_dup(c->handle, &d->handle));
  }
  enter(d);
  if (how != 2 || !idups) name_it(d);
}

/// By colour and key, on one side or both.
static void split(void) {
  struct comm* c = some_comm(pick(4) == 0 ? any_side : 0);
  int colours[2][most_ranks], keys[2][most_ranks], mine_is = MPI_UNDEFINED;
  const int shared = !c->inter && pick(5) == 0 && !anywhere;
  if (unused_comms() < 2) return;
  for (int s = 0; s < 2; ++s)
    for (int r = 0; r < c->n[s]; ++r)
      colours[s][r] = shared ? 0 : pick(5) ? pick(2) : MPI_UNDEFINED, keys[s][r] = pick(4);
  // A colour on one side only: MPIs differ in what they give.
  for (int colour = 0; c->inter && colour < 2; ++colour) {
    int on[2] = {0, 0};
    for (int s = 0; s < 2; ++s)
      for (int r = 0; r < c->n[s]; ++r) on[s] += colours[s][r] == colour;
    if ((on[0] == 0) != (on[1] == 0)) return;
  }
  MPI_Comm made = MPI_COMM_NULL;
  if (member(c)) {
    mine_is = colours[c->side][c->rank];
    if (shared) OK(MPI_Comm_split_type(c->handle, MPI_COMM_TYPE_SHARED, keys[c->side][c->rank], MPI_INFO_NULL, &made));
    else OK(MPI_Comm_split(c->handle, mine_is, keys[c->side][c->rank], &made));
  }
  for (int colour = 0; colour < 2; ++colour) {
    struct comm* d = unused_comm(c);
    d->inter = c->inter;
    for (int s = 0; s < 2; ++s)
      for (int key = 0; key < 4; ++key)
        for (int r = 0; r < c->n[s]; ++r)
          if (colours[s][r] == colour && keys[s][r] == key) d->who[s][d->n[s]++] = c->who[s][r];
    if (d->n[0] == 0) continue;
    if (mine_is == colour) d->handle = made;
    enter(d);
    name_it(d);
  }
}

/// Ranks 0..n-1 without some of them, and in another order if `mixed`; at least one. Returns how many.
static int choose(int n, int* to, int mixed) {
  int m = 0;
  for (int i = 0; i < n; ++i)
    if (pick(3)) to[m++] = i;
  if (m == 0) to[m++] = pick(n);
  for (int i = m - 1; mixed && i > 0; --i) {
    const int j = pick(i + 1), x = to[i];
    to[i] = to[j], to[j] = x;
  }
  return m;
}

static void create(void) {
  struct comm *c = some_comm(any_side), *d = unused_comm(c);
  // Open MPI 4.1.4 copies attributes in MPI_Comm_create_group.
  const int only_members = !c->inter && c->attribute == 0 && pick(2), tag = tag_of(++serial);
  int chosen[2][most_ranks];
  if (d == NULL) return;
  d->inter = c->inter;
  for (int s = 0; s <= c->inter; ++s) {
    // Open MPI 4.1.4 has the other group of an intercommunicator in the order of the old one.
    d->n[s] = choose(c->n[s], chosen[s], !c->inter || !over_openmpi);
    for (int i = 0; i < d->n[s]; ++i) d->who[s][i] = c->who[s][chosen[s][i]];
  }
  place(d);
  if (member(c) && (!only_members || member(d))) {
    MPI_Group whole, part;
    OK(MPI_Comm_group(c->handle, &whole));
    OK(MPI_Group_incl(whole, d->n[c->side], chosen[c->side], &part));
    if (only_members) OK(MPI_Comm_create_group(c->handle, part, tag, &d->handle));
    else OK(MPI_Comm_create(c->handle, part, &d->handle));
    OK(MPI_Group_free(&whole));
    OK(MPI_Group_free(&part));
  }
  enter(d);
  name_it(d);
}

static void with_topology(void) {
  struct comm *c = some_comm(0), *d = unused_comm(c);
  const int n = c->n[0], kind = pick(4);
  int near[most_ranks][most_ranks], weights[most_edges], degrees[most_ranks], sums[most_ranks], edges[64], m = 0;
  if (d == NULL) return;
  if (kind == 2 && over_openmpi && c->attribute) return;      // Open MPI 5.0.7 copies attributes
  for (int i = 0; i < most_edges; ++i) weights[i] = 1 + pick(5);
  memset(near, 0, sizeof near);
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j) near[i][j] = pick(2);
  d->kind = kind == 0 ? cart : kind == 1 ? graph : dist;
  d->n[0] = n;
  memcpy(d->who, c->who, sizeof c->who);
  if (kind == 0) {
    const int dimensions = 1 + pick(2);
    int dims[2] = {0, 0}, around[2] = {pick(2), pick(2)}, smaller = pick(3) == 0 && n > 1 && !anywhere;
    OK(MPI_Dims_create(n - smaller, dimensions, dims));
    d->n[0] = n - smaller;
    if (member(c)) OK(MPI_Cart_create(c->handle, dimensions, dims, around, 0, &d->handle));
  } else if (kind == 1) {
    for (int i = 0; i < n; ++i) {
      for (int j = 0; j < n; ++j)
        if (i != j && (near[i][j] || near[j][i])) edges[m++] = j;
      sums[i] = m;
    }
    if (member(c)) OK(MPI_Graph_create(c->handle, n, sums, edges, 0, &d->handle));
  } else if (kind == 2 && member(c)) {
    int from[most_ranks], to[most_ranks], ins = 0, outs = 0;
    for (int i = 0; i < n; ++i) {
      if (near[i][c->rank]) from[ins++] = i;
      if (near[c->rank][i]) to[outs++] = i;
    }
    OK(MPI_Dist_graph_create_adjacent(c->handle, ins, from, weights, outs, to, weights, MPI_INFO_NULL, 0, &d->handle));
  } else if (member(c)) {
    // Each rank tells the edges of the rank after it.
    const int source = (c->rank + 1) % n;
    degrees[0] = 0;
    for (int i = 0; i < n; ++i)
      if (near[source][i]) edges[degrees[0]++] = i;
    OK(MPI_Dist_graph_create(c->handle, 1, &source, degrees, edges, weights, MPI_INFO_NULL, 0, &d->handle));
  }
  enter(d);
  name_it(d);
}

/// The rows or columns of a plane, or a line or a plane again.
static void part_of_cart(void) {
  struct comm* c = NULL;
  for (int i = 0; i < most_comms; ++i)
    if (comms[i].used && comms[i].kind == cart) c = born(&comms[i]);
  const int keep[3] = {pick(2), pick(2), 0};
  if (c == NULL || unused_comms() < c->n[0]) return;
  // The dimensions are known to members: they tell the others.
  int shape[3] = {0, 0, 0}, around[2], at[2];
  if (member(c)) {
    OK(MPI_Cartdim_get(c->handle, &shape[0]));
    OK(MPI_Cart_get(c->handle, shape[0], shape + 1, around, at));
  }
  OK(MPI_Bcast(shape, 3, MPI_INT, c->who[0][0], MPI_COMM_WORLD));
  // Nothing kept: MPICH 4.0.2 gives the first process a communicator only, Open MPI each.
  if (!keep[0] && (shape[0] == 1 || !keep[1])) return;
  if (shape[0] == 1) shape[2] = 1;
  MPI_Comm made = MPI_COMM_NULL;
  if (member(c)) OK(MPI_Cart_sub(c->handle, keep, &made));
  const int rows = keep[0] ? 1 : shape[1], columns = keep[1] || shape[0] == 1 ? 1 : shape[2];
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j) {
      struct comm* d = unused_comm(c);
      d->kind = cart;
      for (int r = 0; r < c->n[0]; ++r) {
        const int x = r / shape[2], y = r % shape[2];
        if ((keep[0] || x == i) && (keep[1] || shape[0] == 1 || y == j)) d->who[0][d->n[0]++] = c->who[0][r];
      }
      place(d);
      if (d->rank >= 0) d->handle = made;
      enter(d);
      name_it(d);
    }
}

/// Two parts of one communicator, each of which makes a communicator of its own first.
static void make_intercomm(void) {
  struct comm *c = some_comm(0), *d = unused_comm(c);
  const int n = c->n[0], tag = tag_of(++serial);
  // The leaders' messages are ones of this communicator, which a receive of any tag would take.
  if (d == NULL || n < 2 || blocked(c, c->who[0][0], c->who[0][1]) || blocked(c, c->who[0][1], c->who[0][0])) return;
  d->inter = 1;
  for (int i = 0; i < n; ++i) {
    const int s = i == 0 ? 0 : i == 1 ? 1 : pick(2);
    d->who[s][d->n[s]++] = c->who[0][i];
  }
  place(d);
  if (member(c)) {
    MPI_Comm half;
    OK(MPI_Comm_split(c->handle, d->side, c->rank, &half));
    OK(MPI_Intercomm_create(half, 0, c->handle, 1 - d->side, tag, &d->handle));
    OK(MPI_Comm_free(&half));
  }
  enter(d);
  name_it(d);
}

static void merge(void) {
  struct comm *c = some_comm(1), *d = unused_comm(c);
  const int high = pick(2);
  if (c == NULL || d == NULL) return;
  for (int s = 0; s < 2; ++s)
    for (int i = 0; i < c->n[s ^ high]; ++i) d->who[0][d->n[0]++] = c->who[s ^ high][i];
  if (member(c)) OK(MPI_Intercomm_merge(c->handle, c->side ^ high, &d->handle));
  enter(d);
  name_it(d);
}

/// While requests of it are under way, or when all have ended.
static void release(struct comm* c) {
  // Open MPI 4.1.4: of the processes of an intercommunicator some may wait in MPI_Comm_disconnect for ever.
  const int how = c->inter ? 1 : pick(3);
  end_messages(c);
  const int lanes_outlive = how == 2;
  if (lanes_outlive) settle_lanes(c);
  else free_lanes(c);
  end_rounds(c);
  deletes += member(c) && c->attribute != 0;
  if (member(c)) {
    // Open MPI 4.1.4 crashes in collectives of a communicator that was freed meanwhile. MPICH 4.0.2 may wait in
    // MPI_Comm_disconnect for ever though no request is left.
    if (how == 0 || over_openmpi) wait_for_all(c);
    if (how == 0 && !over_mpich) OK(MPI_Comm_disconnect(&c->handle));
    else OK(MPI_Comm_free(&c->handle));
    CHECK(c->handle == MPI_COMM_NULL);
  }
  if (lanes_outlive) last_rounds(c), free_lanes(c);
  c->used = 0;
}

static void release_some(void) {
  struct comm* c = some_comm(any_side);
  if (c != &comms[0] && (pick(2) || unused_comms() < 3)) release(c);
}

static void attributes(void) {
  struct comm* c = some_comm(any_side);
  const int what = pick(3), value = ++serial;
  if (what == 0 && c->attribute != 0) {
    if (member(c)) OK(MPI_Comm_delete_attr(c->handle, keyval)), ++deletes;
    c->attribute = 0;
  } else if (what == 1) {
    if (member(c)) OK(MPI_Comm_set_attr(c->handle, keyval, (void*)(intptr_t)value)), deletes += c->attribute != 0;
    c->attribute = value;
  }
  if (!member(c)) return;
  void* found = NULL;
  int flag = 0, length = 0;
  OK(MPI_Comm_get_attr(c->handle, keyval, &found, &flag));
  CHECK(flag == (c->attribute != 0), "%d", flag);
  if (flag) CHECK((intptr_t)found == c->attribute, "%ld, not %d", (long)(intptr_t)found, c->attribute);
  if (c->name[0]) {
    char name[MPI_MAX_OBJECT_NAME];
    OK(MPI_Comm_get_name(c->handle, name, &length));
    CHECK(strcmp(name, c->name) == 0, "%s, not %s", name, c->name);
    took(value, name, (size_t)length);
  }
}

static void error_handlers(void) {
  struct comm* c = some_comm(any_side);
  if (!member(c)) return;
  MPI_Errhandler before, now;
  OK(MPI_Comm_get_errhandler(c->handle, &before));
  OK(MPI_Comm_set_errhandler(c->handle, handler));
  OK(MPI_Comm_call_errhandler(c->handle, MPI_ERR_OTHER)), ++handles;
  OK(MPI_Comm_get_errhandler(c->handle, &now));
  CHECK(now == handler);
  OK(MPI_Errhandler_free(&now));
  if (mine(2)) OK(MPI_Comm_set_errhandler(c->handle, before));
  OK(MPI_Errhandler_free(&before));
}

static int index_of(const int* who, int n, int process) {
  for (int i = 0; i < n; ++i)
    if (who[i] == process) return i;
  return -1;
}

/// What MPI_Comm_compare and the group operations say of two communicators.
static void compare(void) {
  struct comm *c = some_comm(0), *d = some_comm(0);
  if (!member(c) || !member(d)) return;
  const int n = c->n[0], m = d->n[0];
  int result = -1, similar = n == m, equal = n == m, size = -1, at[most_ranks], first[most_ranks];
  for (int i = 0; i < n; ++i) similar &= index_of(d->who[0], m, c->who[0][i]) >= 0;
  for (int i = 0; i < n; ++i) equal &= i < m && c->who[0][i] == d->who[0][i];
  OK(MPI_Comm_compare(c->handle, d->handle, &result));
  const int want = c == d ? MPI_IDENT : equal ? MPI_CONGRUENT : similar ? MPI_SIMILAR : MPI_UNEQUAL;
  CHECK(result == want, "%d, not %d", result, want);
  MPI_Group g, h, both, world;
  OK(MPI_Comm_group(c->handle, &g));
  OK(MPI_Comm_group(d->handle, &h));
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  int who[most_ranks], k = 0;
  const int how = mine(3);
  for (int i = 0; i < n; ++i) {
    const int there = index_of(d->who[0], m, c->who[0][i]) >= 0;
    if (how == 0 || (how == 1) == there) who[k++] = c->who[0][i];
  }
  for (int i = 0; how == 0 && i < m; ++i)
    if (index_of(c->who[0], n, d->who[0][i]) < 0) who[k++] = d->who[0][i];
  if (how == 0) OK(MPI_Group_union(g, h, &both));
  if (how == 1) OK(MPI_Group_intersection(g, h, &both));
  if (how == 2) OK(MPI_Group_difference(g, h, &both));
  OK(MPI_Group_size(both, &size));
  CHECK(size == k, "%d, not %d", size, k);
  for (int i = 0; i < k; ++i) first[i] = i;
  if (k > 0 && size == k) OK(MPI_Group_translate_ranks(both, k, first, world, at));
  for (int i = 0; size == k && i < k; ++i) CHECK(at[i] == who[i], "%d: %d, not %d", i, at[i], who[i]);
  if (both != MPI_GROUP_EMPTY) OK(MPI_Group_free(&both));
  OK(MPI_Group_free(&g));
  OK(MPI_Group_free(&h));
  OK(MPI_Group_free(&world));
}
