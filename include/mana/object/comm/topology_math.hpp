// Arithmetic of topologies on the descriptor alone. Grids are in row-major order, as MPI fixes it.
#pragma once
#include <mana/lower/abi.hpp>
#include <mana/lower/neutral.hpp>
#include <mana/object/comm/descriptor.hpp>
#include <mana/object/comm/state.hpp>

#include <mana/gen/lower_slots.hpp>

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <utility>
#include <vector>

namespace mana::object {

/// Coordinates of a rank. out: coords: int[ndims]
inline void coords_of_rank(const cart& c, int rank, int* coords) noexcept {
  for (std::size_t i = c.dims.size(); i-- > 0;) {
    coords[i] = c.dims[i] > 0 ? rank % c.dims[i] : 0;
    rank = c.dims[i] > 0 ? rank / c.dims[i] : 0;
  }
}

/// in: coords: int[ndims], any values      out: rank; -1 if a coordinate leaves a dimension that is not periodic
inline int rank_of_coords(const cart& c, const int* coords) noexcept {
  int rank = 0;
  for (std::size_t i = 0; i < c.dims.size(); ++i) {
    int x = coords[i];
    if (x < 0 || x >= c.dims[i]) {
      if (c.periods[i] == 0) return -1;
      x %= c.dims[i];
      if (x < 0) x += c.dims[i];
    }
    rank = rank * c.dims[i] + x;
  }
  return rank;
}

/// in: dims, periods: int[ndims]; rank: this process's
inline cart make_cart(int ndims, const int* dims, const int* periods, int rank) {
  cart c{{dims, dims + ndims}, {}, std::vector<int>(static_cast<std::size_t>(ndims))};
  for (int i = 0; i < ndims; ++i) c.periods.push_back(periods[i] != 0);
  coords_of_rank(c, rank, c.coords.data());
  return c;
}

/// The sub-grid through this process. in: remain: int[ndims], 0 for a dimension to drop
inline cart sub_cart(const cart& c, const int* remain) {
  cart sub;
  for (std::size_t i = 0; i < c.dims.size(); ++i) {
    if (remain[i] == 0) continue;
    sub.dims.push_back(c.dims[i]);
    sub.periods.push_back(c.periods[i]);
    sub.coords.push_back(c.coords[i]);
  }
  return sub;
}

/// The topology in this form; nullptr if the communicator has none, or one of another form.
template <class Form>
inline const Form* topology_as(const descriptor<kind::comm>& comm) noexcept {
  return comm.topology != nullptr ? std::get_if<Form>(comm.topology) : nullptr;
}

/// How many neighbours this process sends to and receives from.
struct neighbour_counts {
  int send = 0, recv = 0;
  int most() const noexcept { return send > recv ? send : recv; }
};
inline neighbour_counts neighbours_in(const descriptor<kind::comm>& comm) noexcept {
  if (const auto* const c = topology_as<cart>(comm)) return {2 * c->ndims(), 2 * c->ndims()};
  if (const auto* const n = topology_as<neighbours>(comm)) return {n->out(), n->in()};
  if (const auto* const g = topology_as<graph>(comm)) {
    const int degree = g->degree(comm.ranks->own_rank);
    return {degree, degree};
  }
  return {};
}

/// The most neighbours that any rank of a communicator with this one's topology may have.
inline int most_neighbours_in(const descriptor<kind::comm>& comm) noexcept {
  int most = neighbours_in(comm).most();
  if (const auto* const g = topology_as<graph>(comm))
    for (int rank = 0; rank < g->nodes(); ++rank) most = std::max(most, g->degree(rank));
  return most;
}

/// in: comm  has no topology yet
inline void set_topology(descriptor<kind::comm>& comm, topology given) {
  comm.topology = new topology(std::move(given));
  std::atomic_ref most(comms().most_neighbours);
  const int here = most_neighbours_in(comm);
  for (int known = most.load(std::memory_order_relaxed); known < here && !most.compare_exchange_weak(known, here);) {}
}

/// Weights as they cross the boundary. The two special addresses of mpi.h have their own values there.
inline const int* neutral_weights(const int* weights) noexcept {
  if (weights == MPI_UNWEIGHTED) return reinterpret_cast<const int*>(neutral::unweighted);
  if (weights == MPI_WEIGHTS_EMPTY) return reinterpret_cast<const int*>(neutral::weights_empty);
  return weights;
}
/// The same for weights in a descriptor.
inline const int* neutral_weights(bool weighted, const std::vector<int>& weights) noexcept {
  if (!weighted) return reinterpret_cast<const int*>(neutral::unweighted);
  return weights.empty() ? reinterpret_cast<const int*>(neutral::weights_empty) : weights.data();
}

/// Address of a list that may be empty: MPI refuses null for an array without entries.
inline const int* address_of(const std::vector<int>& list) noexcept {
  static constexpr int none = 0;
  return list.empty() ? &none : list.data();
}

/// Collective over the real communicator `plain`. Runs in the lower half. out: neutral error class
inline int create_adjacent(const neighbours& n, real<kind::comm> plain, real<kind::comm>* made) noexcept {
  const lower::bridge& b = lower::the_bridge();
  return b.mpi->MPI_Dist_graph_create_adjacent(
      plain, n.in(), address_of(n.sources), neutral_weights(n.weighted, n.source_weights), n.out(),
      address_of(n.destinations), neutral_weights(n.weighted, n.destination_weights),
      lower::predefined(neutral::info_null), 0, made);
}

}  // namespace mana::object
