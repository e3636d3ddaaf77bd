#include <runtime/store/nodes/parity_choice.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

namespace mana::store {

namespace {

using attempt = std::pair<std::uint64_t, std::uint64_t>;             // generation, nonce

std::string list(const std::vector<std::uint32_t>& ranks) {
  std::string text;
  for (const std::uint32_t rank : ranks) text += (text.empty() ? "" : ", ") + std::to_string(rank);
  return text;
}

std::string images_of(const std::vector<std::uint32_t>& ranks) {
  return ranks.size() == 1 ? "the image of rank " + list(ranks) + " is" : "the images of ranks " + list(ranks) + " are";
}

/// The contents of an attempt's sidecars.
struct said {
  std::set<std::uint32_t> there;                         // ranks whose image exists
  std::map<std::uint32_t, parity_group> group_of;        // by rank
  bool contradicts = false;
};

void add(said& all, const local_image& about) {
  all.there.insert(about.rank);
  for (const std::uint32_t member : about.group.ranks)
    if (all.group_of.try_emplace(member, about.group).first->second != about.group) all.contradicts = true;
}

std::vector<std::uint32_t> lost_of(const said& all, std::span<const std::uint32_t> ranks) {
  std::vector<std::uint32_t> lost;
  for (const std::uint32_t rank : ranks)
    if (!all.there.contains(rank)) lost.push_back(rank);
  std::sort(lost.begin(), lost.end());
  return lost;
}

std::vector<std::uint32_t> all_ranks(std::uint32_t count) {
  std::vector<std::uint32_t> ranks(count);
  for (std::uint32_t rank = 0; rank < count; ++rank) ranks[rank] = rank;
  return ranks;
}

/// in:     lost  at least one
void look_for_parity(const said& all, const std::vector<std::uint32_t>& lost, local_attempt& found) {
  if (all.group_of.empty()) return;
  if (all.contradicts) {
    found.obstacle = "sidecars contradict each other about the parity";
    return;
  }
  std::set<std::uint32_t> seen;
  for (const std::uint32_t rank : lost) {
    const auto group = all.group_of.find(rank);
    if (group == all.group_of.end()) {
      found.obstacle = images_of({rank}) + " on no node, and no parity of it";
      break;
    }
    const std::vector<std::uint32_t> here = lost_of(all, group->second.ranks);
    if (here.size() > group->second.parity) {
      found.obstacle = images_of(here) + " on no node, and of the group of ranks " + list(group->second.ranks) + " " +
                       std::to_string(group->second.parity) + " can be rebuilt";
      break;
    }
    if (seen.insert(group->second.ranks.front()).second) found.broken.push_back({group->second, here});
  }
  if (!found.obstacle.empty()) found.broken.clear();
}

}  // namespace

std::vector<local_attempt> local_attempts(std::span<const node_image> images, std::uint32_t ranks) {
  std::map<attempt, said, std::greater<>> attempts;
  for (const node_image& i : images)
    if (i.about.ranks == ranks) add(attempts[{i.about.generation, i.about.nonce}], i.about);
  std::vector<local_attempt> found;
  for (const auto& [which, all] : attempts) {
    const std::vector<std::uint32_t> lost = lost_of(all, all_ranks(ranks));
    local_attempt one{which.first, which.second, lost.empty(), {}, {}};
    if (!lost.empty()) look_for_parity(all, lost, one);
    found.push_back(std::move(one));
  }
  return found;
}

}  // namespace mana::store
