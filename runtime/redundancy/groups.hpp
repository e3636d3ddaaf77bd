// Forms the groups of ranks that protect each other.
#pragma once
#include <runtime/redundancy/scheme.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::redundancy {

/// Ranks that protect each other. A group may be larger than the scheme says: then it has more data, not more parity.
struct group {
  std::vector<std::uint32_t> ranks;     // world ranks, in the order of the members' numbers
  unsigned parity = 0;

  unsigned members() const noexcept { return static_cast<unsigned>(ranks.size()); }
  unsigned data() const noexcept { return members() - parity; }
};

struct grouping {
  std::vector<group> groups;
  std::vector<std::string> warnings;    // a line for each node and group, if the group cannot survive the node's loss
};

/// Makes as many groups as the scheme allows. Members of a group are on different nodes wherever a node has no more
/// ranks than there are groups.
/// in:     node_of  by world rank, the node's name
/// out:    the same on all ranks, since it depends only on the arguments
/// errors: redundancy_error (usage): fewer ranks than K+M
grouping make_groups(const scheme& code, std::span<const std::string> node_of);

}  // namespace mana::redundancy
