// A communicator's topology, as the program gave it. It answers every query, and a restart builds it again.
#pragma once
#include <variant>
#include <vector>

namespace mana::object {

/// A grid. All int[ndims]; coords: of this process.
struct cart {
  std::vector<int> dims, periods, coords;
  int ndims() const noexcept { return static_cast<int>(dims.size()); }
};

/// MPI_Graph_create. index: int[nodes], running sums of the nodes' degrees; edges: int[index.back()], ranks
struct graph {
  std::vector<int> index, edges;
  int nodes() const noexcept { return static_cast<int>(index.size()); }
  int begin(int rank) const noexcept { return rank == 0 ? 0 : index[static_cast<std::size_t>(rank) - 1]; }
  int degree(int rank) const noexcept { return index[static_cast<std::size_t>(rank)] - begin(rank); }
};

/// A distributed graph, as this process sees it: ranks, and a weight for each if it is weighted.
struct neighbours {
  bool weighted = false;
  std::vector<int> sources, source_weights, destinations, destination_weights;
  int in() const noexcept { return static_cast<int>(sources.size()); }
  int out() const noexcept { return static_cast<int>(destinations.size()); }
};

using topology = std::variant<cart, graph, neighbours>;

}  // namespace mana::object
