// Groups that live across steps, made of each other and of communicators, which are made of them in turn.
#pragma once
#include "communicators.h"

enum { most_groups = 8 };

/// Known to all, held by those in `holders` (bits: ranks in MPI_COMM_WORLD); who: ranks in MPI_COMM_WORLD.
struct group { int used, n, who[most_ranks], holders, session; MPI_Group handle; };
static struct group groups[most_groups];

static int holds(const struct group* g) { return g->holders >> me & 1; }

static struct group* unused_group(void) {
  for (int i = 0; i < most_groups; ++i)
    if (!groups[i].used) return memset(&groups[i], 0, sizeof groups[i]), groups[i].handle = MPI_GROUP_NULL, &groups[i];
  return NULL;
}

static struct group* some_group(void) {
  int at[most_groups], n = 0;
  for (int i = 0; i < most_groups; ++i)
    if (groups[i].used) at[n++] = i;
  return n == 0 ? NULL : &groups[at[pick(n)]];
}

static void free_group(struct group* g) {
  if (holds(g) && g->handle != MPI_GROUP_EMPTY) OK(MPI_Group_free(&g->handle));
  g->used = 0;
}

static void check_held(const struct group* g) {
  if (!holds(g)) return;
  MPI_Group world;
  int size = -1, rank = -2, want = index_of(g->who, g->n, me), first[most_ranks], at[most_ranks];
  OK(MPI_Group_size(g->handle, &size));
  OK(MPI_Group_rank(g->handle, &rank));
  CHECK(size == g->n && rank == (want < 0 ? MPI_UNDEFINED : want), "%d of %d, not %d of %d", rank, size, want, g->n);
  if (size != g->n || size == 0) return;
  for (int i = 0; i < size; ++i) first[i] = i;
  OK(MPI_Comm_group(MPI_COMM_WORLD, &world));
  OK(MPI_Group_translate_ranks(g->handle, size, first, world, at));
  for (int i = 0; i < size; ++i) CHECK(at[i] == g->who[i], "%d: %d, not %d", i, at[i], g->who[i]);
  OK(MPI_Group_free(&world));
}

/// A new one has its members: without any it is not kept.
static void enter_group(struct group* g) {
  g->used = 1;
  check_held(g);
  if (g->n == 0) free_group(g);
}

static void group_of_comm(struct group* g) {
  const struct comm* c = some_comm(any_side);
  const int side = c->inter ? pick(2) : 0;
  g->n = c->n[side], g->session = c->session;
  memcpy(g->who, c->who[side], sizeof g->who);
  for (int s = 0; s <= c->inter; ++s)
    for (int i = 0; i < c->n[s]; ++i) g->holders |= 1 << c->who[s][i];
  if (!member(c)) return;
  if (side == c->side) OK(MPI_Comm_group(c->handle, &g->handle));
  else OK(MPI_Comm_remote_group(c->handle, &g->handle));
}

/// By ranks or by ranges of them, with what is named or without it.
static void part_of_group(struct group* g, const struct group* from) {
  int chosen[most_ranks], ranges[most_ranks][3], n = 0, m = 0;
  const int without = pick(2), by_ranges = pick(2), step = 1 + pick(2);
  g->holders = from->holders, g->session = from->session;
  if (by_ranges) {
    const int first = pick(from->n), last = first + pick(from->n - first), down = pick(2);
    for (int i = first; i <= last; i += step) chosen[n++] = i;
    ranges[0][0] = down ? chosen[n - 1] : first, ranges[0][1] = down ? first : last, ranges[0][2] = down ? -step : step;
    for (int i = 0; down && i < n / 2; ++i) {
      const int x = chosen[i];
      chosen[i] = chosen[n - 1 - i], chosen[n - 1 - i] = x;
    }
  } else {
    n = choose(from->n, chosen, 1);
  }
  for (int i = 0; !without && i < n; ++i) g->who[m++] = from->who[chosen[i]];
  for (int i = 0; without && i < from->n; ++i)
    if (index_of(chosen, n, i) < 0) g->who[m++] = from->who[i];
  g->n = m;
  if (!holds(g)) return;
  if (by_ranges) {
    if (without) OK(MPI_Group_range_excl(from->handle, 1, ranges, &g->handle));
    else OK(MPI_Group_range_incl(from->handle, 1, ranges, &g->handle));
  } else if (without) {
    OK(MPI_Group_excl(from->handle, n, chosen, &g->handle));
  } else {
    OK(MPI_Group_incl(from->handle, n, chosen, &g->handle));
  }
}

static void set_operation(struct group* g, const struct group* a, const struct group* b) {
  const int how = pick(3);
  g->holders = a->holders & b->holders, g->session = a->session;
  for (int i = 0; i < a->n; ++i) {
    const int there = index_of(b->who, b->n, a->who[i]) >= 0;
    if (how == 0 || (how == 1) == there) g->who[g->n++] = a->who[i];
  }
  for (int i = 0; how == 0 && i < b->n; ++i)
    if (index_of(a->who, a->n, b->who[i]) < 0) g->who[g->n++] = b->who[i];
  if (!holds(g)) return;
  if (how == 0) OK(MPI_Group_union(a->handle, b->handle, &g->handle));
  if (how == 1) OK(MPI_Group_intersection(a->handle, b->handle, &g->handle));
  if (how == 2) OK(MPI_Group_difference(a->handle, b->handle, &g->handle));
}

static void new_group(void) {
  const struct group *a = some_group(), *b = some_group();
  struct group* g = unused_group();
  const int how = pick(3);
  if (g == NULL) return;
  if (how == 0 || a == NULL) group_of_comm(g);
  else if (how == 1) part_of_group(g, a);
  else if (a->session != b->session) return;
  else set_operation(g, a, b);
  enter_group(g);
}

static void compare_groups(void) {
  const struct group *a = some_group(), *b = some_group();
  if (a == NULL || !holds(a) || !holds(b)) return;
  int result = -1, similar = a->n == b->n, equal = a->n == b->n;
  for (int i = 0; i < a->n; ++i) similar &= index_of(b->who, b->n, a->who[i]) >= 0;
  for (int i = 0; i < a->n; ++i) equal &= i < b->n && a->who[i] == b->who[i];
  OK(MPI_Group_compare(a->handle, b->handle, &result));
  const int want = equal ? MPI_IDENT : similar ? MPI_SIMILAR : MPI_UNEQUAL;
  CHECK(result == want, "%d, not %d", result, want);
  check_held(a);
}

/// In one that all its members have, by them alone or by all.
static void comm_of_group(void) {
  const struct group* g = some_group();
  struct comm *c = some_comm(0), *d = unused_comm(c);
  const int tag = tag_of(++serial);
  // Open MPI 4.1.4 copies attributes in MPI_Comm_create_group; MPICH 4.0.2 crashes there with some groups that were not
  // made of this communicator's.
  const int only_members = c->attribute == 0 && pick(2) && !over_mpich;
  if (g == NULL || d == NULL || g->session != c->session) return;
  for (int i = 0; i < g->n; ++i)
    if (index_of(c->who[0], c->n[0], g->who[i]) < 0 || !(g->holders >> g->who[i] & 1)) return;
  d->n[0] = g->n;
  memcpy(d->who[0], g->who, sizeof g->who);
  place(d);
  if (member(d) && only_members) OK(MPI_Comm_create_group(c->handle, g->handle, tag, &d->handle));
  else if (member(c) && !only_members)
    OK(MPI_Comm_create(c->handle, holds(g) && (member(d) || mine(2)) ? g->handle : MPI_GROUP_EMPTY, &d->handle));
  enter(d);
  name_it(d);
}

static void group_action(void) {
  switch (pick(6)) {
    case 0:
    case 1: new_group(); break;
    case 2: compare_groups(); break;
    case 3:
    case 4: comm_of_group(); break;
    case 5: {
      struct group* g = some_group();
      if (g) free_group(g);
    }
  }
}
