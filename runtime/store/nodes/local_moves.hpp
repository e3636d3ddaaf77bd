// Which images have to go from node to node before a generation that lies on the nodes can be restarted.
// Knows nothing of files.
#pragma once
#include <runtime/store/nodes/node_image.hpp>

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace mana::store {

struct image_move {
  local_image about;
  std::uint32_t sender = 0;        // lowest rank of the node that has it
  std::uint32_t receiver = 0;      // the rank that the image is of
  bool operator==(const image_move&) const = default;
};

/// A rank needs its image of the line, and those that this refers to, unless the directory of checkpoints has them.
/// Every rank that is given the same comes to the same list, in the same order.
/// in:  line    complete, of as many ranks as there are nodes' names
///      images  of all nodes that ranks are on
///      nodes   each rank's, by rank
///      global  generations that are complete in the directory of checkpoints
std::vector<image_move> moves_for(const local_line& line, std::span<const node_image> images,
                                  std::span<const std::string> nodes, const std::set<std::uint64_t>& global);

/// Lowest of the ranks on this node.     in: node  of one of them
std::uint32_t first_rank_on(std::span<const std::string> nodes, const std::string& node);

}  // namespace mana::store
