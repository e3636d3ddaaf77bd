// The ranks on this rank's node.
#pragma once
#include <cstdint>
#include <set>
#include <string>

namespace mana::job {

/// Collective; MPI runs. A node without a known name counts as a node with one rank.
void find_neighbours();

/// As store::node_name(); empty if it cannot be found.
const std::string& name_of_node() noexcept;
/// World ranks, including this rank.
const std::set<std::uint32_t>& ranks_of_node() noexcept;

}  // namespace mana::job
