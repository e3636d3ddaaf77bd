#include <runtime/job/nodes/neighbours.hpp>

#include <runtime/lower/own_state.hpp>

#include <runtime/store/nodes/local_store.hpp>

#include <mana/lower/abi.hpp>

#include <mpi.h>

#include <functional>
#include <vector>

namespace mana::job {

namespace {

struct node {
  std::string name;
  std::set<std::uint32_t> ranks;
};

/// Never destroyed: threads use it until the process ends.
node& own_node() noexcept {
  static auto& one = *new node;
  return one;
}

std::string name_or_nothing() {
  try {
    return store::node_name();
  } catch (const store::store_error&) {
    return {};
  }
}

}  // namespace

/// Names are compared by their hashes. If two nodes have the same hash, a rank asks for a file on the wrong node, and
/// is refused.
void find_neighbours() {
  const MPI_Comm world = real_mpi::own().world;
  node& n = own_node() = {name_or_nothing(), {}};
  int size = 1;
  PMPI_Comm_size(world, &size);
  const std::uint64_t own = std::hash<std::string>()(n.name);
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size));
  PMPI_Allgather(&own, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, world);
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank] == own && !n.name.empty()) n.ranks.insert(static_cast<std::uint32_t>(rank));
  n.ranks.insert(lower::the_bridge().world_rank);
}

const std::string& name_of_node() noexcept { return own_node().name; }
const std::set<std::uint32_t>& ranks_of_node() noexcept { return own_node().ranks; }

}  // namespace mana::job
