// Arrays of counts and displacements that are freed as soon as a persistent collective is initialised, as mpi4py does where
// the MPI has no large counts. By the standard they must stay until the request is freed, so this runs under mana only.
// Where an array is not significant, it points nowhere.
#include "../check.h"

enum { most = 16 };
enum { gatherv, scatterv, allgatherv, alltoallv, in_place, parts, near_gatherv, near_alltoallv, operations };

static int out[operations][most * most], in[operations][most * most];
static MPI_Request all[operations];
static MPI_Comm grid;

/// Elements of the block for, or of, rank r.
static int block(int r) { return 1 + r % 3; }
static int place(int r) {
  int sum = 0;
  for (int i = 0; i < r; ++i) sum += block(i);
  return sum;
}
static int element(int o, int from, int to, int k) { return val(from + 50 * o, to, k, 3); }

typedef struct {
  int *counts, *places;
} arrays;
static arrays nowhere(void) {
  return (arrays){(int*)16, (int*)16};
}
/// Of n blocks; each: the size of all of them, or 0 for those of block().
static arrays of(int n, int each) {
  const arrays a = {malloc((size_t)n * sizeof(int)), malloc((size_t)n * sizeof(int))};
  for (int r = 0; r < n; ++r) a.counts[r] = each ? each : block(r), a.places[r] = each ? each * r : place(r);
  return a;
}
static void forget(arrays a, int n) {
  memset(a.counts, 0x77, (size_t)n * sizeof(int)), memset(a.places, 0x77, (size_t)n * sizeof(int));
  free(a.counts), free(a.places);
}

static void initialise(void) {
  const MPI_Comm w = MPI_COMM_WORLD;
  const MPI_Datatype I = MPI_INT;
  const MPI_Info none = MPI_INFO_NULL;
  const int root = ranks - 1;
  const arrays whole = of(ranks, 0), ones = of(ranks, block(me)), not_here = nowhere(), near = of(2, 2);
  const arrays at_root = me == root ? whole : not_here;
  OK(MPI_Gatherv_init(out[gatherv], block(me), I, in[gatherv], at_root.counts, at_root.places, I, root, w, none, &all[gatherv]));
  OK(MPI_Scatterv_init(out[scatterv], at_root.counts, at_root.places, I, in[scatterv], block(me), I, root, w, none,
                       &all[scatterv]));
  OK(MPI_Allgatherv_init(out[allgatherv], block(me), I, in[allgatherv], whole.counts, whole.places, I, w, none, &all[allgatherv]));
  OK(MPI_Alltoallv_init(out[alltoallv], whole.counts, whole.places, I, in[alltoallv], ones.counts, ones.places, I, w, none,
                        &all[alltoallv]));
  OK(MPI_Allgatherv_init(MPI_IN_PLACE, 0, I, in[in_place], whole.counts, whole.places, I, w, none, &all[in_place]));
  OK(MPI_Reduce_scatter_init(out[parts], in[parts], whole.counts, I, MPI_BXOR, w, none, &all[parts]));
  OK(MPI_Neighbor_allgatherv_init(out[near_gatherv], 2, I, in[near_gatherv], near.counts, near.places, I, grid, none,
                                  &all[near_gatherv]));
  OK(MPI_Neighbor_alltoallv_init(out[near_alltoallv], near.counts, near.places, I, in[near_alltoallv], near.counts, near.places, I,
                                 grid, none, &all[near_alltoallv]));
  forget(whole, ranks), forget(ones, ranks), forget(near, 2);
}

static void prepare(int k) {
  memset(in, 0xff, sizeof in);
  for (int o = 0; o < operations; ++o)
    for (int i = 0; i < most * most; ++i) out[o][i] = element(o, me, i, k);
  for (int i = 0; i < 4; ++i) out[near_alltoallv][i] = element(near_alltoallv, me, i % 2, k);      // both neighbours may be one
  for (int i = 0; i < block(me); ++i) in[in_place][place(me) + i] = element(in_place, me, i, k);
}

static void is(int o, int i, int want) {
  CHECK(in[o][i] == want, "collective %d, [%d]: %d not %d", o, i, in[o][i], want);
  got_int(in[o][i]);
}

static void verify(int k) {
  const int root = ranks - 1, neighbour[] = {(me + ranks - 1) % ranks, (me + 1) % ranks};
  for (int r = 0; r < ranks; ++r)
    for (int i = 0; i < block(r); ++i) {
      if (me == root) is(gatherv, place(r) + i, element(gatherv, r, i, k));
      is(allgatherv, place(r) + i, element(allgatherv, r, i, k));
      is(in_place, place(r) + i, element(in_place, r, i, k));
    }
  for (int i = 0; i < block(me); ++i) {
    int mixed = 0;
    is(scatterv, i, element(scatterv, root, place(me) + i, k));
    for (int r = 0; r < ranks; ++r) {
      is(alltoallv, block(me) * r + i, element(alltoallv, r, place(me) + i, k));
      mixed ^= element(parts, r, place(me) + i, k);
    }
    is(parts, i, mixed);
  }
  for (int n = 0; n < 2; ++n)
    for (int i = 0; i < 2; ++i) {
      is(near_gatherv, 2 * n + i, element(near_gatherv, neighbour[n], i, k));
      is(near_alltoallv, 2 * n + i, element(near_alltoallv, neighbour[n], i, k));
    }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  const int is_round = 1;
  OK(MPI_Cart_create(MPI_COMM_WORLD, 1, &ranks, &is_round, 0, &grid));
  initialise();
  for (int k = 0; k < steps; ++k) {
    prepare(k);
    OK(MPI_Startall(operations, all));
    OK(MPI_Waitall(operations, all, MPI_STATUSES_IGNORE));
    verify(k);
    step(k);
  }
  for (int o = 0; o < operations; ++o) OK(MPI_Request_free(&all[o]));
  OK(MPI_Comm_free(&grid));
  return finish();
}
