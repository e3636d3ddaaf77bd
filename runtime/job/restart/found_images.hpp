// The images that lie on the nodes of a restart, as all ranks know them.
#pragma once
#include <runtime/store/nodes/node_image.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mana::job {

/// in: generation  start_options::generation, before the choice: whether the user named one checkpoint himself
bool is_named_itself(const std::string& generation);

struct images_on_nodes {
  std::string directory;                    // on this node, of this directory of checkpoints; empty: there can be none
  std::vector<std::string> nodes;           // each rank's, by rank; empty: images are not looked for
  std::vector<store::node_image> images;    // equal on all ranks
  std::set<std::pair<std::uint64_t, std::uint64_t>> given_up;   // generation, nonce: what cannot be rebuilt; equal on all ranks
};

/// The lowest rank of each node looks at what is there. What is wrong with an image is said once, as a warning; it does
/// not count. Nothing is looked for without --local, where the user named one checkpoint himself, and where the directory
/// of checkpoints was never used with --local. Collective; MPI runs.
images_on_nodes find_images_on_nodes(std::uint32_t rank);

}  // namespace mana::job
