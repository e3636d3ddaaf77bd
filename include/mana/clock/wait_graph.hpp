// For each rank that waits, the ranks whose messages it waits for.
#pragma once
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

 private:
  std::map<int, std::vector<int>> waits_;

 public:
  static constexpr std::tuple fields{&wait_graph::waits_};
};

}  // namespace mana::clock
