// Over which links ranks speak with the coordinator.
#pragma once
#include <mana/clock/tree.hpp>

namespace clock_model {

/// Ranks and relays are children, of the coordinator or of a relay. Children are numbered: ranks as they are, then
/// relays.
struct network {
  struct hub {
    int process = 0;
    std::vector<int> children;                     // by link
    std::vector<mana::clock::rank_range> links;
  };
  std::vector<hub> hubs;                           // the coordinator, then the relays
  std::vector<int> hub_of, link_of;                // by child

  int ranks() const { return hubs.front().links.back().end; }
  int relays() const { return static_cast<int>(hubs.size()) - 1; }
  int children() const { return ranks() + relays(); }
  bool is_relay(int child) const { return child >= ranks(); }
  /// Of the relay that is this child.
  int hub_at(int child) const { return child - ranks() + 1; }
};

/// fan_out: 0: all ranks are children of the coordinator
const network& network_of(int ranks, int fan_out);

}  // namespace clock_model
