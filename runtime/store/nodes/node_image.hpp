// An image as all ranks of a restart know it: its node, and its sidecar's contents.
#pragma once
#include <runtime/store/nodes/local_choice.hpp>
#include <runtime/store/nodes/local_sidecar.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mana::store {

struct node_image {
  std::string node;
  local_image about;
};

inline std::vector<held_image> held(std::span<const node_image> images) {
  std::vector<held_image> found;
  for (const node_image& i : images)
    found.push_back({i.about.generation, i.about.nonce, i.about.rank, i.about.ranks, i.node});
  return found;
}

/// An image of this attempt, of `rank` or of any.     out: nullptr if there is none
inline const local_image* one_of(std::span<const node_image> images, const local_line& line,
                                 std::optional<std::uint32_t> rank = {}) {
  const auto at = std::find_if(images.begin(), images.end(), [&](const node_image& i) {
    return i.about.generation == line.generation && i.about.nonce == line.nonce && (!rank || i.about.rank == *rank);
  });
  return at == images.end() ? nullptr : &at->about;
}

}  // namespace mana::store
