// Every collective on intracommunicators, blocking and not, with and without MPI_IN_PLACE; the non-blocking ones all
// under way at once on three communicators.
#include "check.h"

enum { ints = 5, most = 16, comms = 3 };  // ints: of the largest block; most: ranks
enum {
  bcast, gather, gatherv, scatter, scatterv, allgather, allgatherv, alltoall, alltoallv, alltoallw,
  reduce, allreduce, scan, exscan, blocks, parts, operations  // blocks, parts: reduce_scatter_block, reduce_scatter
};

static MPI_Comm comm[comms];
static int out[comms][operations][most * ints], in[comms][operations][most * ints];
static int counts[comms][most], places[comms][most], counts_to[comms][most], bytes[comms][most];
static MPI_Datatype types[most];
static MPI_Request request[comms * (operations + 1)];
static int requests;

static int block(int i, int k) { return 1 + (i + k) % ints; }
static int element(int o, int a, int k, int x) { return val(a + 100 * o, 0, k, x); }

/// The blocking function, or the non-blocking one.
#define DO(blocking, starting, ...) \
  do { \
    if (nb) OK(starting(__VA_ARGS__, &request[requests++])); \
    else OK(blocking(__VA_ARGS__)); \
  } while (0)
/// A send buffer, or MPI_IN_PLACE where `here` may use it.
#define FROM(o, here) (ip && (here) ? MPI_IN_PLACE : (void*)out[c][o])

static void post(int c, int k, int nb, int ip) {
  int own, p, root;
  MPI_Comm_rank(comm[c], &own);
  MPI_Comm_size(comm[c], &p);
  root = k % p;
  int at_root = own == root;
  for (int i = 0; i < p; ++i) {
    counts[c][i] = block(i, k);
    counts_to[c][i] = block(i + own, k);  // symmetric, as MPI_IN_PLACE wants
    places[c][i] = i * ints;
    bytes[c][i] = i * ints * (int)sizeof(int);
  }
  for (int o = 0; o < operations; ++o)
    for (int x = 0; x < p * ints; ++x) {
      out[c][o][x] = element(o, own, k, x);
      in[c][o][x] = -1;
      if (ip && (o >= alltoall || (o == bcast && at_root))) in[c][o][x] = out[c][o][x];
    }
  if (ip)  // own block already in its place
    for (int i = 0; i < ints; ++i) {
      if (at_root) in[c][gather][own * ints + i] = out[c][gather][i];
      if (at_root && i < counts[c][own]) in[c][gatherv][own * ints + i] = out[c][gatherv][i];
      in[c][allgather][own * ints + i] = out[c][allgather][i];
      if (i < counts[c][own]) in[c][allgatherv][own * ints + i] = out[c][allgatherv][i];
    }
  int (*r)[most * ints] = in[c], (*s)[most * ints] = out[c];
  const int *n = counts[c], *to = counts_to[c], *at = places[c], *at_bytes = bytes[c], all = ints;
  const MPI_Datatype I = MPI_INT, U = MPI_UNSIGNED, ignored = ip ? MPI_DATATYPE_NULL : I;  // with MPI_IN_PLACE
  const MPI_Comm q = comm[c];
  void* const scattered = ip && at_root ? MPI_IN_PLACE : r[scatter];
  void* const scattered_v = ip && at_root ? MPI_IN_PLACE : r[scatterv];
  DO(MPI_Bcast, MPI_Ibcast, at_root ? s[bcast] : r[bcast], all, I, root, q);
  DO(MPI_Gather, MPI_Igather, FROM(gather, at_root), all, I, r[gather], all, I, root, q);
  DO(MPI_Gatherv, MPI_Igatherv, FROM(gatherv, at_root), n[own], I, r[gatherv], n, at, I, root, q);
  DO(MPI_Scatter, MPI_Iscatter, s[scatter], all, I, scattered, all, I, root, q);
  DO(MPI_Scatterv, MPI_Iscatterv, s[scatterv], n, at, I, scattered_v, n[own], I, root, q);
  DO(MPI_Barrier, MPI_Ibarrier, q);
  DO(MPI_Allgather, MPI_Iallgather, FROM(allgather, 1), ip ? 0 : all, ignored, r[allgather], all, I, q);
  DO(MPI_Allgatherv, MPI_Iallgatherv, FROM(allgatherv, 1), n[own], I, r[allgatherv], n, at, I, q);
  DO(MPI_Alltoall, MPI_Ialltoall, FROM(alltoall, 1), all, I, r[alltoall], all, I, q);
  DO(MPI_Alltoallv, MPI_Ialltoallv, FROM(alltoallv, 1), to, at, I, r[alltoallv], to, at, I, q);
  DO(MPI_Alltoallw, MPI_Ialltoallw, FROM(alltoallw, 1), to, at_bytes, types, r[alltoallw], to, at_bytes, types, q);
  DO(MPI_Reduce, MPI_Ireduce, FROM(reduce, at_root), r[reduce], all, U, MPI_SUM, root, q);
  DO(MPI_Allreduce, MPI_Iallreduce, FROM(allreduce, 1), r[allreduce], all, I, MPI_MAX, q);
  DO(MPI_Scan, MPI_Iscan, FROM(scan, 1), r[scan], all, U, MPI_SUM, q);
  DO(MPI_Exscan, MPI_Iexscan, FROM(exscan, 1), r[exscan], all, U, MPI_SUM, q);
  DO(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, FROM(blocks, 1), r[blocks], all, U, MPI_SUM, q);
  DO(MPI_Reduce_scatter, MPI_Ireduce_scatter, FROM(parts, 1), r[parts], n, U, MPI_SUM, q);
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

static void verify(int c, int k, int ip) {
  int own, p, root, before = 0;
  MPI_Comm_rank(comm[c], &own);
  MPI_Comm_size(comm[c], &p);
  root = k % p;
  for (int j = 0; j < own; ++j) before += block(j, k);
  for (int o = 0; o < operations; ++o)
    for (int x = 0; x < p * ints; ++x) {
      int j = x / ints, i = x % ints, want, first = x < ints, one = o == gatherv || o == allgatherv;
      if ((o == bcast || o == scatter || o == scatterv) && own == root && (ip || o == bcast)) continue;
      if ((o == gather || o == gatherv || o == reduce) && own != root) continue;
      if ((o == bcast || o == scatter || (o >= reduce && o <= blocks)) && !first) continue;
      if ((o == scatterv || o == parts) && x >= block(own, k)) continue;
      if (o == exscan && own == 0) continue;
      if (o == bcast) want = element(o, root, k, x);
      else if (o == scatter || o == scatterv) want = element(o, root, k, own * ints + x);
      else if (o <= allgatherv) want = one && i >= block(j, k) ? -1 : element(o, j, k, i);
      else if (o == alltoall) want = element(o, j, k, own * ints + i);
      else if (o <= alltoallw && i < block(j + own, k)) want = element(o, j, k, own * ints + i);
      else if (o <= alltoallw) want = ip ? out[c][o][x] : -1;
      else if (o == scan) want = reduced(o, 0, own + 1, k, x);
      else if (o == exscan) want = reduced(o, 0, own, k, x);
      else want = reduced(o, 0, p, k, x + (o == blocks ? own * ints : o == parts ? before : 0));
      const int is = in[c][o][x];
      CHECK(is == want, "collective %d, comm %d, in place %d, [%d]: %d not %d", o, c, ip, x, is, want);
      got_int(is);
    }
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  MPI_Comm_dup(MPI_COMM_WORLD, &comm[0]);
  MPI_Comm_split(MPI_COMM_WORLD, me % 2, -me, &comm[1]);
  MPI_Comm_split(MPI_COMM_WORLD, me / 3, me, &comm[2]);
  for (int i = 0; i < most; ++i) types[i] = MPI_INT;
  for (int k = 0; k < steps; ++k) {
    int nb = k & 1, ip = k >> 1 & 1;
    requests = 0;
    for (int c = 0; c < comms; ++c) post(c, k, nb, ip);
    OK(MPI_Waitall(requests, request, MPI_STATUSES_IGNORE));
    for (int c = 0; c < comms; ++c) verify(c, k, ip);
    step(k);
  }
  for (int c = 0; c < comms; ++c) MPI_Comm_free(&comm[c]);
  return finish();
}
