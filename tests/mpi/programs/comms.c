// Communicators: all ways to make them, groups, compare (see comm_callbacks.c, cart.c). One of each kind lives across
// the steps, so that a restart has to build it again.
#include "check.h"

/// The communicator works and is what it says.
static void sum_on(MPI_Comm c, int k) {
  int own, p, v, s;
  MPI_Comm_rank(c, &own);
  MPI_Comm_size(c, &p);
  v = own * 3 + k;
  OK(MPI_Allreduce(&v, &s, 1, MPI_INT, MPI_SUM, c));
  CHECK(s == 3 * p * (p - 1) / 2 + k * p, "sum %d over %d ranks", s, p);
  got_int(s);
}

/// A message around the ring of its ranks.
static void around(MPI_Comm c, int k) {
  int own, p, in, out;
  MPI_Comm_rank(c, &own);
  MPI_Comm_size(c, &p);
  const int right = (own + 1) % p, left = (own + p - 1) % p;
  out = val(own, right, k, p);
  OK(MPI_Sendrecv(&out, 1, MPI_INT, right, 3, &in, 1, MPI_INT, left, 3, c, MPI_STATUS_IGNORE));
  CHECK(in == val(left, own, k, p), "%d from %d of %d", in, left, p);
  got_int(in);
}

static void compared(MPI_Comm c, int want) {
  int r;
  OK(MPI_Comm_compare(MPI_COMM_WORLD, c, &r));
  CHECK(r == want, "%d not %d", r, want);
}

enum { dup, idup, hinted, halves, node, reversed, made, group_made, kinds };
typedef struct {
  MPI_Comm of[kinds];  // MPI_COMM_NULL where this rank is no member
} family;

/// One of each kind.
static family make(int tag) {
  family f;
  MPI_Request r;
  MPI_Info info;
  MPI_Group world, evens, back;
  int members[64], n = 0, range[1][3] = {{ranks - 1, 0, -1}};
  OK(MPI_Comm_dup(MPI_COMM_WORLD, &f.of[dup]));
  const MPI_Comm parent = f.of[dup];
  OK(MPI_Comm_idup(parent, &f.of[idup], &r));
  OK(MPI_Wait(&r, MPI_STATUS_IGNORE));
  OK(MPI_Info_create(&info));
  OK(MPI_Info_set(info, "test_key", "test value"));
  OK(MPI_Comm_dup_with_info(parent, info, &f.of[hinted]));
  OK(MPI_Info_free(&info));
  OK(MPI_Comm_split(parent, me % 2, -me, &f.of[halves]));
  OK(MPI_Comm_split_type(parent, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &f.of[node]));
  MPI_Comm_group(parent, &world);
  for (int i = 0; i < ranks; i += 2) members[n++] = i;
  MPI_Group_incl(world, n, members, &evens);
  MPI_Group_range_incl(world, 1, range, &back);
  OK(MPI_Comm_create(parent, back, &f.of[reversed]));
  OK(MPI_Comm_create(parent, evens, &f.of[made]));
  f.of[group_made] = MPI_COMM_NULL;
  if (me % 2 == 0) OK(MPI_Comm_create_group(parent, evens, tag, &f.of[group_made]));
  MPI_Group_free(&world), MPI_Group_free(&evens), MPI_Group_free(&back);
  return f;
}

/// They are what they were made to be, and work.
static void use(const family* f, int k) {
  int own, inter;
  MPI_Info info;
  CHECK((f->of[made] == MPI_COMM_NULL) == (me % 2 == 1), "create");
  MPI_Comm_rank(f->of[reversed], &own);
  CHECK(own == ranks - 1 - me, "%d in the reversed communicator", own);
  MPI_Comm_rank(f->of[halves], &own);  // higher ranks first
  CHECK(own == (ranks - 1 - me) / 2, "%d among the halves", own);
  compared(MPI_COMM_WORLD, MPI_IDENT);
  compared(f->of[dup], MPI_CONGRUENT);
  compared(f->of[idup], MPI_CONGRUENT);
  compared(f->of[reversed], ranks > 1 ? MPI_SIMILAR : MPI_CONGRUENT);
  compared(f->of[halves], ranks > 1 ? MPI_UNEQUAL : MPI_CONGRUENT);
  OK(MPI_Comm_test_inter(f->of[dup], &inter));
  CHECK(!inter, "an intercommunicator");
  OK(MPI_Comm_get_info(f->of[hinted], &info));
  OK(MPI_Info_free(&info));
  for (int i = 0; i < kinds; ++i)
    if (f->of[i] != MPI_COMM_NULL) around(f->of[i], k), sum_on(f->of[i], k);
}

static void free_family(family* f) {
  for (int i = 0; i < kinds; ++i)
    if (f->of[i] != MPI_COMM_NULL) {
      OK(MPI_Comm_free(&f->of[i]));
      CHECK(f->of[i] == MPI_COMM_NULL, "not freed");
    }
}

static void named(MPI_Comm c, const char* want) {
  int len;
  char name[MPI_MAX_OBJECT_NAME];
  OK(MPI_Comm_get_name(c, name, &len));
  CHECK(strcmp(name, want) == 0 && len == (int)strlen(want), "%s", name);
}

/// Made and freed in one step. `parent`: lives longer.
static void passing(MPI_Comm parent, int k) {
  char name[64];
  family f = make(k);
  use(&f, k);
  snprintf(name, sizeof name, "made at step %d", k);
  OK(MPI_Comm_set_name(f.of[dup], name));
  named(f.of[dup], name);
  named(MPI_COMM_WORLD, "MPI_COMM_WORLD");
  free_family(&f);
  MPI_Comm part;
  OK(MPI_Comm_split(MPI_COMM_WORLD, me == 0 ? MPI_UNDEFINED : 1, me, &part));
  CHECK((part == MPI_COMM_NULL) == (me == 0), "split with MPI_UNDEFINED");
  if (part != MPI_COMM_NULL) sum_on(part, k), MPI_Comm_free(&part);
  for (int i = 0; i < 2; ++i) {
    OK(MPI_Comm_split(parent, i, 0, &part));
    sum_on(part, k + i);
    OK(MPI_Comm_free(&part));
  }
}

static int group_size(MPI_Group g) {
  int n;
  OK(MPI_Group_size(g, &n));
  return n;
}

static void groups(void) {
  MPI_Group w, low, high, u, in, none, diff, some, ranged, same_as;
  int half = (ranks + 1) / 2, ids[64], out[64], r, range[1][3] = {{0, ranks - 1, 2}};
  MPI_Comm_group(MPI_COMM_WORLD, &w);
  for (int i = 0; i < ranks; ++i) ids[i] = i;
  OK(MPI_Group_incl(w, half, ids, &low));
  OK(MPI_Group_excl(w, half, ids, &high));
  OK(MPI_Group_union(high, low, &u));
  OK(MPI_Group_intersection(w, low, &in));
  OK(MPI_Group_intersection(low, high, &none));
  OK(MPI_Group_difference(w, low, &diff));
  OK(MPI_Group_range_excl(w, 1, range, &some));
  OK(MPI_Group_range_incl(w, 1, range, &ranged));
  OK(MPI_Group_incl(w, ranks, ids, &same_as));
  CHECK(group_size(w) == ranks && group_size(low) == half && group_size(high) == ranks - half, "sizes");
  CHECK(group_size(u) == ranks && group_size(in) == half && group_size(diff) == ranks - half, "set sizes");
  CHECK(none == MPI_GROUP_EMPTY && group_size(none) == 0, "empty intersection");
  CHECK(group_size(some) == ranks / 2 && group_size(ranged) == (ranks + 1) / 2, "range sizes");
  OK(MPI_Group_rank(u, &r));
  CHECK(r == (me < half ? me + ranks - half : me - half), "rank %d in the union", r);
  OK(MPI_Group_rank(low, &r));
  CHECK(r == (me < half ? me : MPI_UNDEFINED), "rank %d in the low half", r);
  OK(MPI_Group_translate_ranks(w, ranks, ids, ranged, out));
  for (int i = 0; i < ranks; ++i) {
    CHECK(out[i] == (i % 2 ? MPI_UNDEFINED : i / 2), "%d is %d", i, out[i]);
    got_int(i % 2 ? -1 : out[i]);
  }
  OK(MPI_Group_compare(w, same_as, &r));
  CHECK(r == MPI_IDENT, "%d", r);
  OK(MPI_Group_compare(w, u, &r));
  CHECK(r == (ranks > 1 ? MPI_SIMILAR : MPI_IDENT), "%d", r);
  OK(MPI_Group_compare(in, low, &r));
  CHECK(r == MPI_IDENT, "%d", r);
  MPI_Group all[] = {w, low, high, u, in, diff, some, ranged, same_as};
  for (int i = 0; i < 9; ++i)
    if (all[i] != MPI_GROUP_EMPTY) OK(MPI_Group_free(&all[i]));
}

/// Made and freed, in another order; some inside others.
static void hundred(int k) {
  MPI_Comm c[100];
  for (int i = 0; i < 100; ++i)
    if (i % 5 == 0) OK(MPI_Comm_split(MPI_COMM_WORLD, (me + i) % 2, me, &c[i]));
    else OK(MPI_Comm_dup(i % 5 == 1 ? MPI_COMM_WORLD : c[i - 1], &c[i]));
  for (int i = 0; i < 100; ++i) {
    if (i % 10 == k % 10) sum_on(c[i * 37 % 100], i);
    OK(MPI_Comm_free(&c[i * 37 % 100]));
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  family kept = make(4);
  MPI_Group reversed_group;
  OK(MPI_Comm_set_name(kept.of[dup], "kept"));
  OK(MPI_Comm_group(kept.of[reversed], &reversed_group));
  for (int k = 0; k < steps; ++k) {
    int own;
    use(&kept, k);
    named(kept.of[dup], "kept");
    OK(MPI_Group_rank(reversed_group, &own));
    CHECK(own == ranks - 1 - me, "%d in the reversed group", own);
    passing(kept.of[halves], k);
    groups();
    if (k % 10 == 0) hundred(k);
    step(k);
  }
  OK(MPI_Group_free(&reversed_group));
  free_family(&kept);
  return finish();
}
