// Finds the checkpoints on the nodes' own disks that can be restarted, and the images there that are no longer needed.
// Knows nothing of files.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::store {

/// An image that was found on a node and agrees with its sidecar.
struct held_image {
  std::uint64_t generation = 0, nonce = 0;
  std::uint32_t rank = 0, ranks = 0;
  std::string node;
};

/// The images of all ranks from one attempt.
struct local_line {
  std::uint64_t generation = 0, nonce = 0;
  std::vector<std::vector<std::string>> holders;   // by rank: nodes that have its image, ascending, at least one
};

struct local_lines {
  std::vector<local_line> complete;                // newest first
  std::vector<std::string> passed_over;            // newest first, words for the user
};

/// INV-50 a local generation is restarted only if each rank's image of one and the same attempt exists. Every rank that
/// gets the same images, in any order, gets the same result.
/// in: ranks     of the job
///     at_least  number of the newest intact generation in the directory of checkpoints; 0: none
local_lines complete_lines(std::span<const held_image> images, std::uint32_t ranks, std::uint64_t at_least);

/// The node from which a rank on `node` takes its image: `node` if it has the image.
const std::string& holder_for(const local_line& line, std::uint32_t rank, const std::string& node);

/// An image of this rank, on its node.
struct own_image {
  std::uint64_t generation = 0;
  bool is_global = false;                          // its generation is complete in the directory of checkpoints
  std::vector<std::uint64_t> builds_on = {};
};

/// INV-51 an image on a node stays while its generation is the newest complete one, or exists nowhere else and an image
/// that stays refers to it, on any rank. Another rank's image may be rebuilt with its help.
/// in:  of_all         generations that the newest images of all ranks refer to
///      newest_local   number of the newest generation that all ranks have on their nodes; 0: none
///      newest_global  number of the newest in the directory of checkpoints; 0: none
/// out: generations, ascending
std::vector<std::uint64_t> superfluous_local(std::span<const own_image> images, std::span<const std::uint64_t> of_all,
                                             std::uint64_t newest_local, std::uint64_t newest_global);

}  // namespace mana::store
