// The ranks of this rank's node.
#pragma once
#include <cstdint>
#include <set>
#include <string>

namespace mana::job {

/// Collective; MPI runs. A node whose name cannot be found has one rank.
void find_neighbours();

/// As store::node_name(); empty if it cannot be found.
const std::string& name_of_node() noexcept;
/// World ranks, this one among them.
const std::set<std::uint32_t>& ranks_of_node() noexcept;

}  // namespace mana::job
