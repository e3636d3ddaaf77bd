// Finds the generations on the nodes whose missing images parity can rebuild. Knows nothing of files.
#pragma once
#include <runtime/store/nodes/node_image.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::store {

/// A group with missing images, few enough for its parity to rebuild.
struct broken_group {
  parity_group group;
  std::vector<std::uint32_t> lost;     // ranks, ascending
};

/// The images of one attempt on the nodes.
struct local_attempt {
  std::uint64_t generation = 0, nonce = 0;
  bool is_complete = false;            // every rank's image exists
  std::vector<broken_group> broken;    // groups to rebuild, by lowest rank; empty: it cannot be completed
  std::string obstacle;                // why it cannot be completed, if it has parity
};

/// The attempts of jobs with this number of ranks, newest first. Every rank that gets the same images, in any order,
/// gets the same attempts.
std::vector<local_attempt> local_attempts(std::span<const node_image> images, std::uint32_t ranks);

}  // namespace mana::store
