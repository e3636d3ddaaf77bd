// Queries of topologies, answered from the communicator's descriptor; MPI_Dims_create. The constructors are in
// comm.hpp.
#pragma once
#include <mana/object/comm/topology_math.hpp>
#include <mana/object/errhandler/calls.hpp>

#include <algorithm>
#include <climits>

namespace mana::object {

template <class Form> inline constexpr const char* has_no = nullptr;
template <> inline constexpr const char* has_no<cart> = "the communicator has no cartesian topology";
template <> inline constexpr const char* has_no<graph> = "the communicator has no graph topology";
template <> inline constexpr const char* has_no<neighbours> = "the communicator has no distributed graph topology";

/// The frame of topology queries. use(topology, descriptor) returns a neutral error class.
template <class Fn, class Form, class Use>
inline int with_topology(MPI_Comm comm, Use&& use) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, nullptr);
  const Form* const form = topology_as<Form>(c.e->what);
  if (form == nullptr) return raise(comm, Fn::id, neutral::err_topology, has_no<Form>);
  const int rc = use(*form, c.e->what);
  return rc == neutral::success ? MPI_SUCCESS : raise(comm, Fn::id, rc, nullptr);
}

/// in: nodes  of a grid or a graph; -1: not a valid topology
/// Ranks are never reordered: a restart on other nodes must find them in the same order.
template <class Fn>
inline int map_ranks(MPI_Comm comm, int nodes, int* newrank) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, Fn::id, neutral::err_comm, nullptr);
  const vid::rank_map& ranks = *c.e->what.ranks;
  if (nodes < 0 || nodes > ranks.size) return raise(comm, Fn::id, neutral::err_dims, "the topology does not fit");
  *newrank = ranks.own_rank < nodes ? ranks.own_rank : MPI_UNDEFINED;
  return MPI_SUCCESS;
}

inline int size_of_cart(int ndims, const int* dims) noexcept {
  long size = 1;
  for (int i = 0; i < ndims; ++i) {
    if (dims[i] <= 0) return -1;
    size *= dims[i];
    if (size > INT_MAX) return -1;
  }
  return static_cast<int>(size);
}

}  // namespace mana::object

namespace mana::manual {

inline int topo_test(MPI_Comm comm, int* status) noexcept {
  const resolved<kind::comm> c = resolve<kind::comm>(comm);
  if (!c.ok) return raise(MPI_COMM_NULL, fn::topo_test::id, neutral::err_comm, nullptr);
  constexpr int forms[] = {MPI_CART, MPI_GRAPH, MPI_DIST_GRAPH};     // as in object::topology
  *status = c.e->what.topology != nullptr ? forms[c.e->what.topology->index()] : int{MPI_UNDEFINED};
  return MPI_SUCCESS;
}
inline int cartdim_get(MPI_Comm comm, int* ndims) noexcept {
  return object::with_topology<fn::cartdim_get, object::cart>(comm, [=](const object::cart& c, const auto&) noexcept {
    *ndims = c.ndims();
    return int{neutral::success}; });
}
/// in: maxdims  capacity of the arrays, and the most entries written
inline int cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[]) noexcept {
  return object::with_topology<fn::cart_get, object::cart>(comm, [=](const object::cart& c, const auto&) noexcept {
    if (maxdims < 0) return int{neutral::err_arg};
    const auto n = static_cast<std::size_t>(std::min(c.ndims(), maxdims));
    std::copy_n(c.dims.begin(), n, dims);
    std::copy_n(c.periods.begin(), n, periods);
    std::copy_n(c.coords.begin(), n, coords);
    return int{neutral::success}; });
}
inline int cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[]) noexcept {
  return object::with_topology<fn::cart_coords, object::cart>(comm, [=](const object::cart& c, const auto& d) noexcept {
    if (rank < 0 || rank >= d.ranks->size) return int{neutral::err_rank};
    if (maxdims < c.ndims()) return int{neutral::err_dims};
    object::coords_of_rank(c, rank, coords);
    return int{neutral::success}; });
}
inline int cart_rank(MPI_Comm comm, const int coords[], int* rank) noexcept {
  return object::with_topology<fn::cart_rank, object::cart>(comm, [=](const object::cart& c, const auto&) noexcept {
    const int found = object::rank_of_coords(c, coords);
    if (found < 0) return int{neutral::err_arg};
    *rank = found;
    return int{neutral::success}; });
}
inline int cart_shift(MPI_Comm comm, int direction, int disp, int* source, int* dest) noexcept {
  return object::with_topology<fn::cart_shift, object::cart>(comm, [=](const object::cart& c, const auto& d) noexcept {
    if (direction < 0 || direction >= c.ndims()) return int{neutral::err_arg};
    const auto along = static_cast<std::size_t>(direction);
    const bool is_periodic = c.periods[along] != 0;
    const int n = c.dims[along], x = c.coords[along], step = is_periodic ? disp % n : disp;
    int stride = 1;
    for (std::size_t i = along + 1; i < c.dims.size(); ++i) stride *= c.dims[i];
    const auto neighbour = [&](long at) {
      if (is_periodic) at = (at % n + n) % n;
      else if (at < 0 || at >= n) return int{MPI_PROC_NULL};
      return d.ranks->own_rank + static_cast<int>(at - x) * stride;
    };
    *source = neighbour(static_cast<long>(x) - step);
    *dest = neighbour(static_cast<long>(x) + step);
    return int{neutral::success}; });
}
inline int cart_map(MPI_Comm comm, int ndims, const int dims[], const int*, int* newrank) noexcept {
  return object::map_ranks<fn::cart_map>(comm, ndims < 0 ? -1 : object::size_of_cart(ndims, dims), newrank);
}

inline int graphdims_get(MPI_Comm comm, int* nnodes, int* nedges) noexcept {
  return object::with_topology<fn::graphdims_get, object::graph>(comm,
                                                                 [=](const object::graph& g, const auto&) noexcept {
                                                                   *nnodes = g.nodes();
                                                                   *nedges = static_cast<int>(g.edges.size());
                                                                   return int{neutral::success};
                                                                 });
}
/// in: maxindex, maxedges  capacity of the arrays, and the most entries written
inline int graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[]) noexcept {
  return object::with_topology<fn::graph_get, object::graph>(comm, [=](const object::graph& g, const auto&) noexcept {
    if (maxindex < 0 || maxedges < 0) return int{neutral::err_arg};
    std::copy_n(g.index.begin(), std::min(g.index.size(), static_cast<std::size_t>(maxindex)), index);
    std::copy_n(g.edges.begin(), std::min(g.edges.size(), static_cast<std::size_t>(maxedges)), edges);
    return int{neutral::success}; });
}
inline int graph_neighbors_count(MPI_Comm comm, int rank, int* count) noexcept {
  return object::with_topology<fn::graph_neighbors_count, object::graph>(
      comm, [=](const object::graph& g, const auto&) noexcept {
    if (rank < 0 || rank >= g.nodes()) return int{neutral::err_rank};
    *count = g.degree(rank);
    return int{neutral::success}; });
}
inline int graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[]) noexcept {
  return object::with_topology<fn::graph_neighbors, object::graph>(
      comm, [=](const object::graph& g, const auto&) noexcept {
        if (rank < 0 || rank >= g.nodes()) return int{neutral::err_rank};
        if (maxneighbors < 0) return int{neutral::err_arg};
        std::copy_n(g.edges.begin() + g.begin(rank), std::min(g.degree(rank), maxneighbors), neighbors);
        return int{neutral::success};
      });
}
inline int graph_map(MPI_Comm comm, int nnodes, const int*, const int*, int* newrank) noexcept {
  return object::map_ranks<fn::graph_map>(comm, nnodes, newrank);
}

inline int dist_graph_neighbors_count(MPI_Comm comm, int* indegree, int* outdegree, int* weighted) noexcept {
  return object::with_topology<fn::dist_graph_neighbors_count, object::neighbours>(
      comm, [=](const object::neighbours& n, const auto&) noexcept {
    *indegree = n.in();
    *outdegree = n.out();
    *weighted = n.weighted;
    return int{neutral::success}; });
}
/// in: maxindegree, maxoutdegree  capacity of the arrays, and the most entries written
inline int dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree,
                                int destinations[], int destweights[]) noexcept {
  return object::with_topology<fn::dist_graph_neighbors, object::neighbours>(
      comm, [=](const object::neighbours& n, const auto&) noexcept {
    if (maxindegree < 0 || maxoutdegree < 0) return int{neutral::err_arg};
    const int in = std::min(n.in(), maxindegree), out = std::min(n.out(), maxoutdegree);
    std::copy_n(n.sources.begin(), in, sources);
    std::copy_n(n.destinations.begin(), out, destinations);
    const auto wants = [&n](const int* w) { return n.weighted && w != MPI_UNWEIGHTED && w != MPI_WEIGHTS_EMPTY; };
    if (wants(sourceweights)) std::copy_n(n.source_weights.begin(), in, sourceweights);
    if (wants(destweights)) std::copy_n(n.destination_weights.begin(), out, destweights);
    return int{neutral::success}; });
}

/// If several products are equally good, implementations choose differently, so the live one is asked.
inline int dims_create(int nnodes, int ndims, int dims[]) noexcept {
  call::wrapper_scope scope(fn::dims_create::id);
  const int rc = lower::cross([&] { return lower::the_bridge().mpi->MPI_Dims_create(nnodes, ndims, dims); });
  return rc == neutral::success ? MPI_SUCCESS : object::fail(fn::dims_create::id, rc, nullptr);
}

}  // namespace mana::manual
