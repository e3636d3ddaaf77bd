#include <runtime/store/nodes/local_moves.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

namespace mana::store {

namespace {

/// Images by generation and rank: the newest attempt first, then by the node's name.
class image_index {
 public:
  explicit image_index(std::span<const node_image> images) {
    for (const node_image& i : images) found_[{i.about.generation, i.about.rank}].push_back(&i);
    for (auto& [which, list] : found_)
      std::sort(list.begin(), list.end(), [](const node_image* a, const node_image* b) {
        return std::tuple(b->about.nonce, a->node) < std::tuple(a->about.nonce, b->node);
      });
  }

  const std::vector<const node_image*>& of(std::uint64_t generation, std::uint32_t rank) const {
    static const std::vector<const node_image*> none;
    const auto at = found_.find({generation, rank});
    return at == found_.end() ? none : at->second;
  }

 private:
  std::map<std::pair<std::uint64_t, std::uint32_t>, std::vector<const node_image*>> found_;
};

const node_image* on_node(const std::vector<const node_image*>& images, const std::string& node) {
  const auto at = std::find_if(images.begin(), images.end(), [&](const node_image* i) { return i->node == node; });
  return at == images.end() ? nullptr : *at;
}

/// The rank's image of this line.
const node_image* image_of(const local_line& line, const image_index& index, std::uint32_t rank,
                           const std::string& node) {
  const std::string& holder = holder_for(line, rank, node);
  for (const node_image* i : index.of(line.generation, rank))
    if (i->about.nonce == line.nonce && i->node == holder) return i;
  return nullptr;
}

}  // namespace

std::uint32_t first_rank_on(std::span<const std::string> nodes, const std::string& node) {
  return static_cast<std::uint32_t>(std::find(nodes.begin(), nodes.end(), node) - nodes.begin());
}

std::vector<image_move> moves_for(const local_line& line, std::span<const node_image> images,
                                  std::span<const std::string> nodes, const std::set<std::uint64_t>& global) {
  const image_index index(images);
  std::vector<image_move> moves;
  for (std::uint32_t rank = 0; rank < nodes.size(); ++rank) {
    const auto move = [&](const node_image& i) { moves.push_back({i.about, first_rank_on(nodes, i.node), rank}); };
    const node_image* const own = image_of(line, index, rank, nodes[rank]);
    if (own == nullptr) continue;
    if (own->node != nodes[rank]) move(*own);
    for (const std::uint64_t base : own->about.builds_on) {
      const auto& there = index.of(base, rank);
      if (global.contains(base) || there.empty() || on_node(there, nodes[rank]) != nullptr) continue;
      move(*there.front());
    }
  }
  return moves;
}

}  // namespace mana::store
