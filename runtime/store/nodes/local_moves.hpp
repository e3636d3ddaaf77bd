// Finds the images that must go from node to node before a generation on the nodes can be restarted. Knows nothing of
// files.
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
  std::uint32_t sender = 0;        // lowest rank of the node that has the image
  std::uint32_t receiver = 0;      // the image's rank
  bool operator==(const image_move&) const = default;
};

/// A rank needs its image of the line, and the images that this one refers to, unless the directory of checkpoints has
/// them. Every rank that gets the same arguments gets the same list, in the same order.
/// in:  line    complete, with as many ranks as `nodes` has names
///      images  of all nodes that ranks are on
///      nodes   by rank
///      global  generations that are complete in the directory of checkpoints
std::vector<image_move> moves_for(const local_line& line, std::span<const node_image> images,
                                  std::span<const std::string> nodes, const std::set<std::uint64_t>& global);

/// The lowest of the ranks on this node.     in: node  of at least one rank
std::uint32_t first_rank_on(std::span<const std::string> nodes, const std::string& node);

}  // namespace mana::store
