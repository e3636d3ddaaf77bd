#include "network.hpp"

#include "index.hpp"

#include <map>
#include <memory>

namespace clock_model {

namespace {

using mana::clock::rank_range;

network make(int ranks, int fan_out) {
  network made;
  made.hub_of.resize(index(ranks));
  made.link_of.resize(index(ranks));
  std::vector<rank_range> ranges{{0, ranks}};      // by hub
  for (std::size_t h = 0; h < ranges.size(); ++h) {
    network::hub hub{ranges[h].first, {}, {}};
    if (fan_out == 0)
      for (int r = 0; r < ranks; ++r) hub.links.push_back({r, r + 1});
    else
      hub.links = mana::clock::links_of(ranges[h], fan_out);
    for (std::size_t l = 0; l < hub.links.size(); ++l) {
      const bool is_rank = hub.links[l].size() == 1;
      const int child = is_rank ? hub.links[l].first : ranks + static_cast<int>(ranges.size()) - 1;
      if (!is_rank) {
        ranges.push_back(hub.links[l]);
        made.hub_of.resize(index(child) + 1);
        made.link_of.resize(index(child) + 1);
      }
      hub.children.push_back(child);
      made.hub_of[index(child)] = static_cast<int>(h);
      made.link_of[index(child)] = static_cast<int>(l);
    }
    made.hubs.push_back(std::move(hub));
  }
  return made;
}

}  // namespace

const network& network_of(int ranks, int fan_out) {
  static std::map<std::pair<int, int>, std::unique_ptr<network>> known;
  auto& at = known[{ranks, fan_out}];
  if (at == nullptr) at = std::make_unique<network>(make(ranks, fan_out));
  return *at;
}

}  // namespace clock_model
