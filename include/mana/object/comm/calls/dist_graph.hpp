// Distributed graphs: communicators whose processes know their own neighbours. In MPI_Dist_graph_create any process may
// give any edge. The wrapper sends the edges to their ends, by collectives of the parent. From each process's own edges
// the live MPI then makes the communicator. Open MPI's own exchange sometimes hangs if ranks are not reordered, and
// here they never are.
#pragma once
#include <mana/interpose/interpose.hpp>
#include <mana/object/comm/calls/comm.hpp>

#include <algorithm>
#include <climits>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace mana::object {

/// An edge, as one of its ends receives it.
struct told_edge {
  std::int32_t leaves;      // 1: from the process that receives it, to `other`; 0: the other way
  std::int32_t other;
  std::int32_t weight;
};
inline constexpr int told_ints = static_cast<int>(sizeof(told_edge) / sizeof(int));

/// The arguments of MPI_Dist_graph_create.
struct given_edges {
  int n;
  const int *sources, *degrees, *destinations, *weights;

  bool weighted() const noexcept { return weights != MPI_UNWEIGHTED; }

  /// in: ranks: of the parent      out: neutral error class
  int check(int ranks) const noexcept {
    if (n < 0 || (n > 0 && (sources == nullptr || degrees == nullptr))) return neutral::err_arg;
    std::int64_t edges = 0;
    for (int i = 0; i < n; ++i) {
      if (sources[i] < 0 || sources[i] >= ranks) return neutral::err_rank;
      if (degrees[i] < 0) return neutral::err_arg;
      edges += degrees[i];
    }
    if (edges > INT_MAX / (2 * told_ints)) return neutral::err_count;
    if (edges > 0 && (destinations == nullptr || weights == nullptr || weights == MPI_WEIGHTS_EMPTY))
      return neutral::err_arg;
    for (std::int64_t i = 0; i < edges; ++i)
      if (destinations[i] < 0 || destinations[i] >= ranks) return neutral::err_rank;
    return neutral::success;
  }

  /// Calls visit(rank, told_edge) for both ends of each edge, in the order in which they are given.
  template <class Visit>
  void for_each_end(Visit&& visit) const {
    for (int i = 0, edge = 0; i < n; ++i)
      for (int last = edge + degrees[i]; edge < last; ++edge) {
        const int weight = weighted() ? weights[edge] : 0;
        visit(sources[i], told_edge{1, destinations[edge], weight});
        visit(destinations[edge], told_edge{0, sources[i], weight});
      }
  }
};

/// The edges for each rank, or from each rank. counts and places: int[ranks], in ints, as MPI_Alltoallv takes them.
struct edge_letters {
  std::vector<int> counts, places;
  std::vector<told_edge> edges;

  explicit edge_letters(std::size_t ranks) : counts(ranks), places(ranks) {}

  /// Allocates the edges of `counts`. out: false if they are more than MPI_Alltoallv can take
  bool make_room() {
    std::int64_t all = 0;
    for (std::size_t r = 0; r < counts.size(); ++r) {
      if (all > INT_MAX) return false;
      places[r] = static_cast<int>(all);
      all += counts[r];
    }
    if (all > INT_MAX) return false;
    edges.resize(static_cast<std::size_t>(all) / told_ints);
    return true;
  }
};

inline edge_letters address_edges(const given_edges& given, std::size_t ranks) {
  edge_letters to(ranks);
  given.for_each_end([&](int rank, const told_edge&) { to.counts[static_cast<std::size_t>(rank)] += told_ints; });
  to.make_room();                // cannot fail: check() has limited the number of edges
  std::vector<int> next = to.places;
  given.for_each_end([&](int rank, const told_edge& e) {
    int& at = next[static_cast<std::size_t>(rank)];
    to.edges[static_cast<std::size_t>(at / told_ints)] = e;
    at += told_ints;
  });
  return to;
}

/// Both ends of an edge receive it from the same process. So edges between the same two processes have the same order
/// at both.
inline neighbours neighbours_of(const std::vector<told_edge>& told, bool weighted) {
  neighbours all{weighted, {}, {}, {}, {}};
  for (const told_edge& e : told) {
    (e.leaves != 0 ? all.destinations : all.sources).push_back(e.other);
    if (weighted) (e.leaves != 0 ? all.destination_weights : all.source_weights).push_back(e.weight);
  }
  return all;
}

}  // namespace mana::object

namespace mana::manual {

/// Ranks are never reordered (reordering is a hint at most, as is info): a restart on other nodes must find them in the
/// same order.
inline int dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[],
                             const int weights[], MPI_Info, int, MPI_Comm* out) noexcept {
  using f = fn::dist_graph_create;
  const resolved<kind::comm> parent = resolve<kind::comm>(comm);
  if (!parent.ok || parent.e->what.is_inter())
    return raise(parent.ok ? comm : MPI_COMM_NULL, f::id, neutral::err_comm, nullptr);
  const int ranks = parent.e->what.ranks->size;
  const object::given_edges given{n, sources, degrees, destinations, weights};
  if (const int bad = given.check(ranks); bad != neutral::success) return raise(comm, f::id, bad, "the edges");

  const object::edge_letters to = object::address_edges(given, static_cast<std::size_t>(ranks));
  object::edge_letters from(static_cast<std::size_t>(ranks));
  const void* const sent_counts = to.counts.data();
  void* const counts_to_come = from.counts.data();
  if (const int rc = call_collective<fn::alltoall>(sent_counts, 1, MPI_INT, counts_to_come, 1, MPI_INT, comm);
      rc != MPI_SUCCESS)
    return rc;
  if (!from.make_room()) return raise(comm, f::id, neutral::err_count, "too many edges");
  const void* const sent = to.edges.data();
  void* const room = from.edges.data();
  const int *const to_counts = to.counts.data(), *const to_places = to.places.data();
  const int *const from_counts = from.counts.data(), *const from_places = from.places.data();
  if (const int rc = call_collective<fn::alltoallv>(sent, to_counts, to_places, MPI_INT, room, from_counts, from_places,
                                                    MPI_INT, comm);
      rc != MPI_SUCCESS)
    return rc;

  object::neighbours own = object::neighbours_of(from.edges, given.weighted());
  return object::construct_comm<f, object::members::as_parent>(
      comm, out,
      [&](real<kind::comm> real_parent, real<kind::comm>* made) noexcept {
        return object::create_adjacent(own, real_parent, made);
      },
      [&](object::comm_entry_t&, object::comm_entry_t& made) noexcept {
        object::set_topology(made.what, std::move(own));
        return int{neutral::success};
      });
}

inline int dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[], const int sourceweights[],
                                      int outdegree, const int destinations[], const int destweights[], MPI_Info, int,
                                      MPI_Comm* out) noexcept {
  using fn_t = fn::dist_graph_create_adjacent;
  return object::construct_comm<fn_t>(comm, out, [=](real<kind::comm> parent, real<kind::comm>* made) noexcept {
    const lower::bridge& b = lower::the_bridge();
    return b.mpi->MPI_Dist_graph_create_adjacent(parent, indegree, sources, object::neutral_weights(sourceweights),
                                                 outdegree, destinations, object::neutral_weights(destweights),
                                                 lower::predefined(neutral::info_null), 0, made); },
    [=](object::comm_entry_t&, object::comm_entry_t& to) noexcept {
      const auto list = [](const int* from, int n) { return std::vector<int>(from, from + std::max(n, 0)); };
      object::neighbours given{
          sourceweights != MPI_UNWEIGHTED, list(sources, indegree), {}, list(destinations, outdegree), {}};
      if (given.weighted) given.source_weights = list(sourceweights, indegree);
      if (given.weighted) given.destination_weights = list(destweights, outdegree);
      object::set_topology(to.what, std::move(given));
      return int{neutral::success}; });
}

}  // namespace mana::manual
