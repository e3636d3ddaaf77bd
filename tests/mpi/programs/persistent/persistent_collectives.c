// Persistent collectives: all of them on two communicators and a grid, started in another order on each rank and
// together with persistent messages; short-lived ones, which each rank frees at another step, long after their
// communicator, operation and datatype (INV-26); requests are completed in all ways.
#include "../check.h"

enum { ints = 5, most = 16, comms = 2, near_most = 4, lives = 4 };  // ints: of the largest block; most: ranks
enum {
  bcast, gather, gatherv, scatter, scatterv, allgather, allgatherv, alltoall, alltoallv, alltoallw,
  reduce, allreduce, scan, exscan, blocks, parts, barrier, in_place, in_place_w, wide, operations
};
enum { near_gather, near_gatherv, near_all, near_allv, near_allw, neighbourhoods };
enum { sends = 2 };  // persistent messages of a step: one sent, one received

static MPI_Comm comm[comms], grid;
static int out[comms][operations][most * ints], in[comms][operations][most * ints];
static int counts[most], places[most], bytes[most];
static MPI_Count wide_counts[most];
static MPI_Aint wide_places[most];
static MPI_Datatype types[most];
static int near_out[neighbourhoods][near_most], near_in[neighbourhoods][near_most];
static int near_rank[near_most], near_counts[near_most], near_places[near_most];
static MPI_Aint near_bytes[near_most];
static int message_out[ints], message_in[ints];
static MPI_Request all[comms * operations + neighbourhoods + sends];
static int requests;

static int block(int i) { return 1 + i % ints; }
static int element(int o, int a, int k, int x) { return val(a + 100 * o, 0, k, x); }

static void initialise(int c) {
  int own, p, root;
  MPI_Comm_rank(comm[c], &own);
  MPI_Comm_size(comm[c], &p);
  root = p - 1;
  int (*r)[most * ints] = in[c], (*s)[most * ints] = out[c];
  const MPI_Comm q = comm[c];
  const MPI_Datatype I = MPI_INT, U = MPI_UNSIGNED;
  const MPI_Info none = MPI_INFO_NULL;
#define INIT(name, ...) OK(name(__VA_ARGS__, none, &all[requests++]))
  INIT(MPI_Bcast_init, own == root ? s[bcast] : r[bcast], ints, I, root, q);
  INIT(MPI_Gather_init, s[gather], ints, I, r[gather], ints, I, root, q);
  INIT(MPI_Gatherv_init, s[gatherv], counts[own], I, r[gatherv], counts, places, I, root, q);
  INIT(MPI_Scatter_init, s[scatter], ints, I, r[scatter], ints, I, root, q);
  INIT(MPI_Scatterv_init, s[scatterv], counts, places, I, r[scatterv], counts[own], I, root, q);
  INIT(MPI_Allgather_init, s[allgather], ints, I, r[allgather], ints, I, q);
  INIT(MPI_Allgatherv_init, s[allgatherv], counts[own], I, r[allgatherv], counts, places, I, q);
  INIT(MPI_Alltoall_init, s[alltoall], ints, I, r[alltoall], ints, I, q);
  static int to[comms][most];
  for (int i = 0; i < p; ++i) to[c][i] = block(i + own);
  INIT(MPI_Alltoallv_init, s[alltoallv], to[c], places, I, r[alltoallv], to[c], places, I, q);
  INIT(MPI_Alltoallw_init, s[alltoallw], to[c], bytes, types, r[alltoallw], to[c], bytes, types, q);
  INIT(MPI_Reduce_init, s[reduce], r[reduce], ints, U, MPI_SUM, root, q);
  INIT(MPI_Allreduce_init, s[allreduce], r[allreduce], ints, I, MPI_MAX, q);
  INIT(MPI_Scan_init, s[scan], r[scan], ints, U, MPI_SUM, q);
  INIT(MPI_Exscan_init, s[exscan], r[exscan], ints, U, MPI_SUM, q);
  INIT(MPI_Reduce_scatter_block_init, s[blocks], r[blocks], ints, U, MPI_SUM, q);
  INIT(MPI_Reduce_scatter_init, s[parts], r[parts], counts, U, MPI_SUM, q);
  INIT(MPI_Barrier_init, q);
  INIT(MPI_Allreduce_init, MPI_IN_PLACE, r[in_place], ints, U, MPI_SUM, q);
  INIT(MPI_Alltoallw_init, MPI_IN_PLACE, NULL, NULL, NULL, r[in_place_w], to[c], bytes, types, q);
#if MPI_VERSION >= 4
  INIT(MPI_Allgatherv_init_c, s[wide], counts[own], I, r[wide], wide_counts, wide_places, I, q);
#else
  INIT(MPI_Allgatherv_init, s[wide], counts[own], I, r[wide], counts, places, I, q);
#endif
}

static void initialise_near(void) {
  const MPI_Datatype I = MPI_INT;
  const MPI_Info none = MPI_INFO_NULL;
  INIT(MPI_Neighbor_allgather_init, near_out[0], 1, I, near_in[0], 1, I, grid);
  INIT(MPI_Neighbor_allgatherv_init, near_out[1], 1, I, near_in[1], near_counts, near_places, I, grid);
  INIT(MPI_Neighbor_alltoall_init, near_out[2], 1, I, near_in[2], 1, I, grid);
  INIT(MPI_Neighbor_alltoallv_init, near_out[3], near_counts, near_places, I, near_in[3], near_counts, near_places, I,
       grid);
  INIT(MPI_Neighbor_alltoallw_init, near_out[4], near_counts, near_bytes, types, near_in[4], near_counts, near_bytes,
       types, grid);
}

static void prepare(int c, int k) {
  int own, p;
  MPI_Comm_rank(comm[c], &own);
  MPI_Comm_size(comm[c], &p);
  for (int o = 0; o < operations; ++o)
    for (int x = 0; x < p * ints; ++x) {
      out[c][o][x] = element(o, own, k, x);
      in[c][o][x] = o == in_place || o == in_place_w ? out[c][o][x] : -1;
    }
}

static int reduced(int o, int from, int to, int k, int x) {
  unsigned sum = 0;
  int max = 0;
  for (int j = from; j < to; ++j) {
    sum += (unsigned)element(o, j, k, x);
    max = element(o, j, k, x) > max ? element(o, j, k, x) : max;
  }
  return o == allreduce ? max : (int)sum;
}

static void verify(int c, int k) {
  int own, p, root, before = 0;
  MPI_Comm_rank(comm[c], &own);
  MPI_Comm_size(comm[c], &p);
  root = p - 1;
  for (int j = 0; j < own; ++j) before += block(j);
  for (int o = 0; o < operations; ++o)
    for (int x = 0; x < p * ints; ++x) {
      int j = x / ints, i = x % ints, want, varies = o == gatherv || o == allgatherv || o == wide;
      if (o == barrier || (o == bcast && own == root)) continue;
      if ((o == gather || o == gatherv || o == reduce) && own != root) continue;
      if ((o == bcast || o == scatter || o == in_place || (o >= reduce && o <= blocks)) && x >= ints) continue;
      if ((o == scatterv || o == parts) && x >= block(own)) continue;
      if (o == exscan && own == 0) continue;
      if (o == bcast) want = element(o, root, k, x);
      else if (o == scatter || o == scatterv) want = element(o, root, k, own * ints + x);
      else if (o <= allgatherv || o == wide) want = varies && i >= block(j) ? -1 : element(o, j, k, i);
      else if (o == alltoall) want = element(o, j, k, own * ints + i);
      else if ((o <= alltoallw || o == in_place_w) && i < block(j + own)) want = element(o, j, k, own * ints + i);
      else if (o <= alltoallw || o == in_place_w) want = o == in_place_w ? out[c][o][x] : -1;
      else if (o == scan) want = reduced(o, 0, own + 1, k, x);
      else if (o == exscan) want = reduced(o, 0, own, k, x);
      else want = reduced(o, 0, p, k, x + (o == blocks ? own * ints : o == parts ? before : 0));
      const int is = in[c][o][x];
      CHECK(is == want, "collective %d, comm %d, [%d]: %d not %d", o, c, x, is, want);
      got_int(is);
    }
}

static void verify_near(int k) {
  for (int o = 0; o < neighbourhoods; ++o)
    for (int i = 0; i < near_most; ++i) {
      const int j = near_rank[i], sent = o < near_all ? 0 : i ^ 1;  // my lower neighbour sees me as its upper one
      const int want = j == MPI_PROC_NULL ? -1 : val(j, 50 + o, k, sent), is = near_in[o][i];
      CHECK(is == want, "neighbourhood %d, [%d]: %d not %d", o, i, is, want);
      got_int(is);
    }
}

/// Until all are inactive, in one of many ways.
static void complete(int k) {
  MPI_Status st[sizeof all / sizeof *all];
  int flag = 0, i, n, found[sizeof all / sizeof *all];
  switch (k % 7) {
    case 0: OK(MPI_Waitall(requests, all, st)); break;
    case 1:
      while (!flag) OK(MPI_Testall(requests, all, &flag, MPI_STATUSES_IGNORE));
      break;
    case 2:
      for (i = 0; i < requests; ++i) OK(MPI_Wait(&all[(i + me) % requests], MPI_STATUS_IGNORE));
      break;
    case 3:
      for (i = requests; i-- > 0;) {
        for (flag = 0; !flag;) OK(MPI_Request_get_status(all[i], &flag, &st[0]));
        for (flag = 0; !flag;) OK(MPI_Test(&all[i], &flag, &st[0]));
      }
      break;
    case 4:
      for (n = 0; n < requests; ++n) {
        OK(MPI_Waitany(requests, all, &i, &st[0]));
        CHECK(i != MPI_UNDEFINED, "%d of %d", n, requests);
      }
      break;
    case 5:
      for (n = 0; n < requests; n += i) OK(MPI_Waitsome(requests, all, &i, found, st));
      CHECK(n == requests, "%d of %d", n, requests);
      break;
    default:
      for (n = 0; n < requests; n += i) OK(MPI_Testsome(requests, all, &i, found, st));
      CHECK(n == requests, "%d of %d", n, requests);
  }
  OK(MPI_Testall(requests, all, &flag, MPI_STATUSES_IGNORE));
  CHECK(flag, "some are active");
}

static void pause_or_compute(int k) {
  static volatile double x;
  for (int i = 0; i < 3000 * ((k + me) % 3); ++i) x = x * 0.5 + i;
  const struct timespec pause = {0, pause_ms * 500000L};
  if (pause_ms > 0) nanosleep(&pause, NULL);
}

static void long_lived(int k) {
  for (int c = 0; c < comms; ++c) prepare(c, k);
  for (int o = 0; o < neighbourhoods; ++o)
    for (int i = 0; i < near_most; ++i) near_out[o][i] = val(me, 50 + o, k, i), near_in[o][i] = -1;
  fill(message_out, ints, me, 60, k);
  // From another one on each rank: some one by one, the rest together.
  const int from = (me * 7 + k) % requests, singly = k % requests;
  MPI_Request turned[sizeof all / sizeof *all];
  for (int i = 0; i < requests; ++i) turned[i] = all[(from + i) % requests];
  for (int i = 0; i < singly; ++i) OK(MPI_Start(&turned[i]));
  pause_or_compute(k);
  OK(MPI_Startall(requests - singly, turned + singly));
  pause_or_compute(k + 1);
  complete(k);
  for (int c = 0; c < comms; ++c) verify(c, k);
  verify_near(k);
  SAME(message_in, ints, (me + ranks - 1) % ranks, 60, k);
}

/// x → a x + b, composed: associative, and not commutative.
static void compose(void* first, void* second, int* n, MPI_Datatype* type) {
  (void)type;
  const unsigned* f = first;
  unsigned* g = second;
  for (int i = 0; i < *n; ++i, f += 2, g += 2) {
    const unsigned a = f[0] * g[0], b = f[1] * g[0] + g[1];
    g[0] = a, g[1] = b;
  }
}

typedef struct {
  MPI_Request request, of_world;
  unsigned mine[4], result[4];
  int sum;
  int starts;  // how often; the last ranks free it first
} life;
static life alive[lives];

static void begin_life(life* l) {
  MPI_Comm brief;
  MPI_Op op;
  MPI_Datatype pair;
  OK(MPI_Comm_dup(comm[0], &brief));
  OK(MPI_Op_create(compose, 0, &op));
  OK(MPI_Type_contiguous(2, MPI_UNSIGNED, &pair));
  OK(MPI_Type_commit(&pair));
  OK(MPI_Allreduce_init(l->mine, l->result, 2, pair, op, brief, MPI_INFO_NULL, &l->request));
  OK(MPI_Allreduce_init(&ranks, &l->sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &l->of_world));
  OK(MPI_Op_free(&op));
  OK(MPI_Type_free(&pair));
  OK(MPI_Comm_free(&brief));
  l->starts = 0;
}

static void live(life* l, int k) {
  unsigned want[4] = {1, 0, 1, 0};
  for (int i = 0; i < 4; ++i) l->mine[i] = (unsigned)val(me, 70 + i, k, 0);
  if (me % 2 == 0) OK(MPI_Start(&l->request));
  OK(MPI_Start(&l->of_world));
  if (me % 2 != 0) OK(MPI_Start(&l->request));
  pause_or_compute(k);
  OK(MPI_Wait(&l->request, MPI_STATUS_IGNORE));
  OK(MPI_Wait(&l->of_world, MPI_STATUS_IGNORE));
  for (int r = 0; r < ranks; ++r)
    for (int h = 0; h < 2; ++h) {
      const unsigned a = (unsigned)val(r, 70 + 2 * h, k, 0), b = (unsigned)val(r, 71 + 2 * h, k, 0);
      want[2 * h + 1] = want[2 * h + 1] * a + b;
      want[2 * h] *= a;
    }
  for (int i = 0; i < 4; ++i) CHECK(l->result[i] == want[i], "[%d]: %u not %u", i, l->result[i], want[i]);
  CHECK(l->sum == ranks * ranks, "%d", l->sum);
  got(l->result, sizeof l->result);
  ++l->starts;
}

static void end_life(life* l) {
  if (l->request == MPI_REQUEST_NULL) return;
  OK(MPI_Request_free(&l->request));
  OK(MPI_Request_free(&l->of_world));
  CHECK(l->request == MPI_REQUEST_NULL, "not null");
}

/// Each of `lives` requests lives for that many steps; in the last of them it is not started, and ranks free it at its
/// beginning or at its end, the one before and the other after checkpoints between.
static void short_lived(int k) {
  for (int i = 0; i < lives; ++i) {
    life* const l = &alive[i];
    const int age = (k + i) % lives;
    if (age == 0) {
      end_life(l);
      begin_life(l);
    }
    if (age < lives - 1 && l->request != MPI_REQUEST_NULL) live(l, k);
    if (age == lives - 2 && (me + k) % 2 == 0) end_life(l);
  }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  int dims[2] = {0, 0};
  const int open[2] = {0, 0};
  for (int i = 0; i < most; ++i) {
    counts[i] = block(i), places[i] = i * ints, bytes[i] = i * ints * (int)sizeof(int), types[i] = MPI_INT;
    wide_counts[i] = counts[i], wide_places[i] = places[i];
  }
  for (int i = 0; i < near_most; ++i) near_counts[i] = 1, near_places[i] = i, near_bytes[i] = i * (MPI_Aint)sizeof(int);
  for (int i = 0; i < lives; ++i) alive[i].request = MPI_REQUEST_NULL;
  MPI_Dims_create(ranks, 2, dims);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &comm[1]);
  MPI_Cart_create(MPI_COMM_WORLD, 2, dims, open, 0, &grid);
  for (int d = 0; d < 2; ++d) MPI_Cart_shift(grid, d, 1, &near_rank[2 * d], &near_rank[2 * d + 1]);
  for (int c = 0; c < comms; ++c) initialise(c);
  initialise_near();
  OK(MPI_Send_init(message_out, ints, MPI_INT, (me + 1) % ranks, 60, MPI_COMM_WORLD, &all[requests++]));
  OK(MPI_Recv_init(message_in, ints, MPI_INT, (me + ranks - 1) % ranks, 60, MPI_COMM_WORLD, &all[requests++]));
  MPI_Comm_free(&grid);  // its collectives go on
  for (int k = 0; k < steps; ++k) {
    long_lived(k);
    short_lived(k);
    step(k);
  }
  for (int i = 0; i < lives; ++i) end_life(&alive[i]);
  for (int i = 0; i < requests; ++i) OK(MPI_Request_free(&all[i]));
  for (int c = 0; c < comms; ++c) MPI_Comm_free(&comm[c]);
  return finish();
}
