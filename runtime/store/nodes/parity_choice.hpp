// Which generations on the nodes lack images that parity can give back. Knows nothing of files.
#pragma once
#include <runtime/store/nodes/node_image.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::store {

/// A group of which some images are on no node, and no more than its parity can give back.
struct broken_group {
  parity_group group;
  std::vector<std::uint32_t> lost;     // ranks, ascending
};

/// What the nodes have of one attempt.
struct local_attempt {
  std::uint64_t generation = 0, nonce = 0;
  bool is_complete = false;            // every rank's image is there
  std::vector<broken_group> broken;    // all that has to be rebuilt to complete it, by lowest rank; empty: it cannot be
  std::string obstacle;                // why not, though there is parity
};

/// Those of jobs of so many ranks, newest first. Every rank that is given the same images, in any order, comes to the
/// same.
std::vector<local_attempt> local_attempts(std::span<const node_image> images, std::uint32_t ranks);

}  // namespace mana::store
