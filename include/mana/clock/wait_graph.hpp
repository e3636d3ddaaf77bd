// Which ranks wait for whose messages, and whose messages matter: those that a rank which is behind depends on.
#pragma once
#include <mana/clock/ranks.hpp>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

namespace mana::clock {

class wait_graph {
 public:
  /// peers: empty: anyone
  void begin(int rank, std::vector<int> peers) { waits_[rank] = std::move(peers); }
  void end(int rank) { waits_.erase(rank); }

  /// out: the rank's peers, nullptr if it does not wait
  const std::vector<int>* wait_of(int rank) const {
    const auto at = waits_.find(rank);
    return at == waits_.end() ? nullptr : &at->second;
  }

  /// out: those of the range that wait
  rank_set waiting(rank_range among) const {
    rank_set some;
    for (auto at = waits_.lower_bound(among.first); at != waits_.end() && at->first < among.end; ++at)
      some.push_back(at->first);
    return some;
  }

  /// Calls body(peer) for each rank on whose message `rank` waits.
  template <class Body>
  void for_each_peer(int rank, int ranks, Body&& body) const {
    const std::vector<int>* peers = wait_of(rank);
    if (peers == nullptr) return;
    for (const int peer : *peers)
      if (peer != rank && peer >= 0 && peer < ranks) body(peer);
    if (!peers->empty()) return;
    for (int peer = 0; peer < ranks; ++peer)
      if (peer != rank) body(peer);
  }

  /// out: by rank: somebody waits for it, among the ranks behind and all that these depend on along chains of waits.
  /// Counting all waits would not do: two ranks that wait for each other (one of them for anyone, or in different
  /// threads) would need each other long after the collective that made them run.
  template <class IsBehind>
  std::vector<bool> needed(int ranks, IsBehind&& is_behind) const {
    std::vector<bool> reached(static_cast<std::size_t>(ranks), false), needed = reached;
    std::vector<int> next;
    const auto reach = [&](int rank) {
      if (reached[index(rank)]) return;
      reached[index(rank)] = true;
      next.push_back(rank);
    };
    for (const auto& [rank, peers] : waits_)
      if (is_behind(rank)) reach(rank);
    while (!next.empty()) {
      const int from = next.back();
      next.pop_back();
      for_each_peer(from, ranks, [&](int peer) {
        needed[index(peer)] = true;
        reach(peer);
      });
    }
    return needed;
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  std::map<int, std::vector<int>> waits_;

 public:
  static constexpr std::tuple fields{&wait_graph::waits_};
};

}  // namespace mana::clock
