// The images on the nodes of a restart, as all ranks know them.
#pragma once
#include <runtime/store/nodes/node_image.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace mana::job {

/// in: generation  start_options::generation, before the choice.  out: true if the user named one checkpoint
bool is_named_itself(const std::string& generation);

struct images_on_nodes {
  // on this node, for this directory of checkpoints; empty: images cannot be there
  std::string directory;
  std::vector<std::string> nodes;           // of each rank, by rank; empty: images on nodes are not looked for
  std::vector<store::node_image> images;    // equal on all ranks
  // generation, nonce: cannot be rebuilt; equal on all ranks
  std::set<std::pair<std::uint64_t, std::uint64_t>> given_up;
};

/// The lowest rank of each node looks for images. A damaged image does not count, and a warning reports it once. No
/// images are looked for without --local, if the user named one checkpoint, or if the directory of checkpoints was
/// never used with --local. Collective; MPI runs.
images_on_nodes find_images_on_nodes(std::uint32_t rank);

}  // namespace mana::job
