// Graph and distributed graph topologies: made in each step, and ones that live across the steps, so that a restart has
// to build them again; queries, and neighbourhood collectives whose numbers of neighbours differ in the two directions.
#include "check.h"

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wstringop-overread"      // MPI_UNWEIGHTED is an address without memory
#endif

enum { most = 16, graphs = 5 };
static MPI_Comm kept[graphs], copies[graphs];

/// Ranks that r sends to, ascending: the next one, and of even ranks the one after it. out: how many
static int destinations_of(int r, int* to) {
  const int next = (r + 1) % ranks, after = (r + 2) % ranks;
  to[0] = r % 2 == 0 && after < next ? after : next;
  to[1] = after < next ? next : after;
  return r % 2 == 0 ? 2 : 1;
}
static int sources_of(int r, int* from) {
  int n = 0, to[2];
  for (int s = 0; s < ranks; ++s)
    for (int i = 0, out = destinations_of(s, to); i < out; ++i)
      if (to[i] == r) from[n++] = s;
  return n;
}
static int weight(int from, int to) { return 100 * from + to; }

/// Each process says its own edges, with weights.
static MPI_Comm own_edges(void) {
  int from[most], to[most], in_weights[most], out_weights[most];
  const int in = sources_of(me, from), out = destinations_of(me, to);
  MPI_Comm made;
  for (int i = 0; i < in; ++i) in_weights[i] = weight(from[i], me);
  for (int i = 0; i < out; ++i) out_weights[i] = weight(me, to[i]);
  OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, in, from, in_weights, out, to, out_weights, MPI_INFO_NULL, 0, &made));
  return made;
}

/// Each process says the edges of the next one, without weights.
static MPI_Comm edges_of_next(void) {
  int to[2];
  const int next = (me + 1) % ranks, out = destinations_of(next, to);
  MPI_Comm made;
  OK(MPI_Dist_graph_create(MPI_COMM_WORLD, 1, &next, &out, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made));
  return made;
}

/// Rank 0 sends to all others: each has nothing in one of the two directions.
static MPI_Comm star(void) {
  int others[most], weights[most];
  const int root = 0;
  MPI_Comm made;
  for (int i = 1; i < ranks; ++i) others[i - 1] = i, weights[i - 1] = weight(0, i);
  if (me == 0)
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 0, NULL, MPI_WEIGHTS_EMPTY, ranks - 1, others,
                                      ranks > 1 ? weights : MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, &made));
  else {
    const int mine = weight(0, me);
    OK(MPI_Dist_graph_create_adjacent(MPI_COMM_WORLD, 1, &root, &mine, 0, NULL, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0,
                                      &made));
  }
  return made;
}

/// A ring of all ranks but the last, if there are more than two.
static int nodes(void) { return ranks > 2 ? ranks - 1 : ranks; }
static void ring(int* index, int* edges) {
  for (int i = 0; i < nodes(); ++i) {
    index[i] = 2 * i + 2;
    edges[2 * i] = (i + nodes() - 1) % nodes();
    edges[2 * i + 1] = (i + 1) % nodes();
  }
}
static MPI_Comm graph(void) {
  int index[most], edges[2 * most], place;
  MPI_Comm made;
  ring(index, edges);
  OK(MPI_Graph_map(MPI_COMM_WORLD, nodes(), index, edges, &place));
  CHECK(me >= nodes() || place == me, "%d", place);     // others have a place in Open MPI, too
  OK(MPI_Graph_create(MPI_COMM_WORLD, nodes(), index, edges, 0, &made));
  CHECK((made != MPI_COMM_NULL) == (me < nodes()), "rank %d", me);
  return made;
}

/// All ranks, and no edge between any two.
static MPI_Comm no_edges(void) {
  int index[most] = {0}, none = 0;
  MPI_Comm made;
  OK(MPI_Graph_create(MPI_COMM_WORLD, ranks, index, &none, 0, &made));
  return made;
}

/// One value to each neighbour and one of each; what comes depends on both ranks only.
static void exchange(MPI_Comm comm, int in, const int* from, int out, const int* to, int k) {
  int sent[most], got_one[most], counts[most], places[most];
  MPI_Aint bytes[most];
  MPI_Datatype types[most];
  MPI_Request requests[3];
  for (int i = 0; i < most; ++i) counts[i] = 1, places[i] = i, bytes[i] = 4 * i, types[i] = MPI_INT;
  for (int i = 0; i < out; ++i) sent[i] = val(me, to[i], k, 1);
  for (int way = 0; way < 7; ++way) {
    // MPICH 4.0 moves nothing where a process has neighbours in one direction only.
    if ((way == 1 || way == 5) && (in == 0 || out == 0)) continue;
    const int own = val(me, 0, k, 2), gathers = way == 2 || way == 3 || way == 6;
    for (int i = 0; i < most; ++i) got_one[i] = -1;
    if (way == 0) OK(MPI_Neighbor_alltoall(sent, 1, MPI_INT, got_one, 1, MPI_INT, comm));
    if (way == 1) OK(MPI_Neighbor_alltoallw(sent, counts, bytes, types, got_one, counts, bytes, types, comm));
    if (way == 2) OK(MPI_Neighbor_allgather(&own, 1, MPI_INT, got_one, 1, MPI_INT, comm));
    if (way == 3) OK(MPI_Neighbor_allgatherv(&own, 1, MPI_INT, got_one, counts, places, MPI_INT, comm));
    if (way == 4) OK(MPI_Neighbor_alltoallv(sent, counts, places, MPI_INT, got_one, counts, places, MPI_INT, comm));
    if (way == 5) {
      OK(MPI_Ineighbor_alltoallw(sent, counts, bytes, types, got_one, counts, bytes, types, comm, &requests[0]));
      OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    }
    if (way == 6) {
      OK(MPI_Ineighbor_allgather(&own, 1, MPI_INT, got_one, 1, MPI_INT, comm, &requests[0]));
      OK(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    }
    uint64_t sum = 0;                 // in which order a process has its neighbours is the library's
    for (int i = 0; i < in; ++i) {
      const int want = gathers ? val(from[i], 0, k, 2) : val(from[i], me, k, 1);
      CHECK(got_one[i] == want, "way %d, from %d: %d, not %d", way, from[i], got_one[i], want);
      sum += (uint64_t)got_one[i];
    }
    got(&sum, sizeof sum);
    CHECK(got_one[in] == -1, "way %d", way);
  }
}

static int ascending(const void* a, const void* b) { return *(const int*)a - *(const int*)b; }

/// Neighbours as they are told, against the sets that they should be.
static void use_distributed(MPI_Comm comm, int weighted, int in, const int* from, int out, const int* to, int k) {
  int n_in, n_out, has_weights, kind, told_from[most], told_to[most], in_weights[most], out_weights[most], sorted[most];
  OK(MPI_Topo_test(comm, &kind));
  CHECK(kind == MPI_DIST_GRAPH, "%d", kind);
  OK(MPI_Dist_graph_neighbors_count(comm, &n_in, &n_out, &has_weights));
  CHECK(n_in == in && n_out == out && (has_weights != 0) == weighted, "%d in, %d out, %d", n_in, n_out, has_weights);
  OK(MPI_Dist_graph_neighbors(comm, in, told_from, weighted ? in_weights : MPI_UNWEIGHTED, out, told_to,
                              weighted ? out_weights : MPI_UNWEIGHTED));
  if (weighted) {
    for (int i = 0; i < in; ++i) CHECK(in_weights[i] == weight(told_from[i], me), "%d", in_weights[i]);
    for (int i = 0; i < out; ++i) CHECK(out_weights[i] == weight(me, told_to[i]), "%d", out_weights[i]);
  }
  for (int side = 0; side < 2; ++side) {
    const int n = side == 0 ? in : out;
    for (int i = 0; i < n; ++i) sorted[i] = side == 0 ? told_from[i] : told_to[i];
    qsort(sorted, (size_t)n, sizeof(int), ascending);
    for (int i = 0; i < n; ++i) CHECK(sorted[i] == (side == 0 ? from[i] : to[i]), "%d", sorted[i]);
  }
  exchange(comm, in, told_from, out, told_to, k);
}

static void use_graph(MPI_Comm comm, int k) {
  int index[most], edges[2 * most], told_index[most], told_edges[2 * most], n, m, near[2], kind;
  if (comm == MPI_COMM_NULL) return;
  ring(index, edges);
  OK(MPI_Topo_test(comm, &kind));
  CHECK(kind == MPI_GRAPH, "%d", kind);
  OK(MPI_Graphdims_get(comm, &n, &m));
  CHECK(n == nodes() && m == 2 * nodes(), "%d nodes, %d edges", n, m);
  OK(MPI_Graph_get(comm, most, 2 * most, told_index, told_edges));
  CHECK(memcmp(index, told_index, (size_t)n * sizeof(int)) == 0, "index");
  CHECK(memcmp(edges, told_edges, (size_t)m * sizeof(int)) == 0, "edges");
  for (int r = 0; r < n; ++r) {
    OK(MPI_Graph_neighbors_count(comm, r, &m));
    OK(MPI_Graph_neighbors(comm, r, 2, near));
    CHECK(m == 2 && near[0] == edges[2 * r] && near[1] == edges[2 * r + 1], "neighbours of %d", r);
  }
  OK(MPI_Graph_neighbors(comm, me, 2, near));
  exchange(comm, 2, near, 2, near, k);
}

/// Rank 0 says all edges: two from each rank to each one, itself too. Ranks may be reordered, as Open MPI 4.1 stands still
/// at times when they may not; mana never reorders any, and is not to stand still for that.
static void all_edges_at_once(int k) {
  int all[most], degrees[most], to[2 * most * most], weights[2 * most * most], place, told[2 * most], has_weights;
  int sent[2 * most], got_one[2 * most], in, out, sum = 0;
  MPI_Comm made;
  for (int i = 0; i < ranks; ++i) {
    all[i] = i, degrees[i] = 2 * ranks;
    for (int j = 0; j < 2 * ranks; ++j) {
      to[2 * ranks * i + j] = j % ranks;
      weights[2 * ranks * i + j] = weight(i, j % ranks);
    }
  }
  OK(MPI_Dist_graph_create(MPI_COMM_WORLD, me == 0 ? ranks : 0, all, degrees, to, weights, MPI_INFO_NULL, 1, &made));
  OK(MPI_Comm_rank(made, &place));
  OK(MPI_Dist_graph_neighbors_count(made, &in, &out, &has_weights));
  CHECK(in == 2 * ranks && out == 2 * ranks && has_weights, "%d in, %d out, %d", in, out, has_weights);
  int from[2 * most], in_weights[2 * most], out_weights[2 * most];
  OK(MPI_Dist_graph_neighbors(made, in, from, in_weights, out, told, out_weights));
  for (int i = 0; i < in; ++i) CHECK(in_weights[i] == weight(from[i], place), "%d", in_weights[i]);
  for (int i = 0; i < out; ++i) CHECK(out_weights[i] == weight(place, told[i]), "%d", out_weights[i]);
  for (int i = 0; i < out; ++i) sent[i] = val(place, told[i], k, 3);
  OK(MPI_Neighbor_alltoall(sent, 1, MPI_INT, got_one, 1, MPI_INT, made));
  for (int i = 0; i < in; ++i) CHECK(got_one[i] == val(from[i], place, k, 3), "from %d", from[i]);
  for (int i = 0; i < in; ++i) sum += from[i];
  CHECK(sum == ranks * (ranks - 1), "%d", sum);
  OK(MPI_Comm_free(&made));
}

static void make(MPI_Comm* all) {
  all[0] = own_edges();
  all[1] = edges_of_next();
  all[2] = star();
  all[3] = graph();
  all[4] = no_edges();
}

static void use(const MPI_Comm* all, int k) {
  int from[most], to[most], others[most];
  const int in = sources_of(me, from), out = destinations_of(me, to), root = 0;
  for (int i = 1; i < ranks; ++i) others[i - 1] = i;
  use_distributed(all[0], 1, in, from, out, to, k);
  use_distributed(all[1], 0, in, from, out, to, k);
  if (me == 0) use_distributed(all[2], 1, 0, NULL, ranks - 1, others, k);
  else use_distributed(all[2], 1, 1, &root, 0, NULL, k);
  use_graph(all[3], k);
  int nodes_of_it, edges_of_it;
  OK(MPI_Graphdims_get(all[4], &nodes_of_it, &edges_of_it));
  CHECK(nodes_of_it == ranks && edges_of_it == 0, "%d nodes, %d edges", nodes_of_it, edges_of_it);
}

static void free_all(MPI_Comm* all) {
  for (int i = 0; i < graphs; ++i)
    if (all[i] != MPI_COMM_NULL) OK(MPI_Comm_free(&all[i]));
}

int main(int argc, char** argv) {
  begin(&argc, &argv);
  if (ranks + 2 > most) return 2;
  make(kept);
  for (int i = 0; i < 100; ++i) all_edges_at_once(i);
  for (int i = 0; i < graphs; ++i)
    if (kept[i] == MPI_COMM_NULL) copies[i] = MPI_COMM_NULL;
    else OK(MPI_Comm_dup(kept[i], &copies[i]));
  for (int k = 0; k < steps; ++k) {
    MPI_Comm brief[graphs];
    make(brief);
    use(k % 2 == 0 ? kept : copies, k);
    use(brief, k);
    free_all(brief);
    all_edges_at_once(k);
    step(k);
  }
  free_all(kept);
  free_all(copies);
  return finish();
}
