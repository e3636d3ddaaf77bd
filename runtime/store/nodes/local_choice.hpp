// Which checkpoint on the nodes' own disks can be restarted, and which images there are not needed any more.
// Knows nothing of files.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::store {

/// An image that was found on a node, with its sidecar, and is what that says.
struct held_image {
  std::uint64_t generation = 0, nonce = 0;
  std::uint32_t rank = 0, ranks = 0;
  std::string node;
};

/// Images of all ranks, of one attempt.
struct local_line {
  std::uint64_t generation = 0, nonce = 0;
  std::vector<std::vector<std::string>> holders;   // by rank: nodes that have its image, ascending, at least one
};

struct local_lines {
  std::vector<local_line> complete;                // newest first
  std::vector<std::string> passed_over;            // newest first, words for the user
};

/// INV-50 a local generation is restarted only if each rank's image of one and the same attempt is there.
/// Every rank that is given the same images, in any order, comes to the same result.
/// in: ranks     of the job
///     at_least  number of the newest good generation in the directory of checkpoints; 0: none
local_lines complete_lines(std::span<const held_image> images, std::uint32_t ranks, std::uint64_t at_least);

/// The node that a rank on `node` takes its image from: its own if that has it.
const std::string& holder_for(const local_line& line, std::uint32_t rank, const std::string& node);

/// An image of this rank, on its node.
struct own_image {
  std::uint64_t generation = 0;
  bool is_global = false;                          // the directory of checkpoints has its generation, complete
  std::vector<std::uint64_t> builds_on = {};
};

/// INV-51 an image on a node stays as long as its generation is the newest that is complete anywhere, or is not in the
/// directory of checkpoints and one that stays refers to it: of this rank, or of another one, which can be rebuilt with its help.
/// in:  of_all         generations that the newest images of all ranks refer to
///      newest_local   number of the newest generation that all ranks have on their nodes; 0: none
///      newest_global  of the newest in the directory of checkpoints; 0: none
/// out: generations, ascending
std::vector<std::uint64_t> superfluous_local(std::span<const own_image> images, std::span<const std::uint64_t> of_all,
                                             std::uint64_t newest_local, std::uint64_t newest_global);

}  // namespace mana::store
