// The control network: who is linked to whom, how long a message takes, and how many each process has had.
#pragma once
#include "event_queue.hpp"
#include "random.hpp"

#include <mana/clock/tree.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace clock_scale {

struct network_options {
  int fan_out = mana::clock::default_fan_out;  // as many as there are other ranks: a star
  nanoseconds link = 10'000, handling = 1000;  // latency; of each message, at its sender and at its receiver
  nanoseconds pace = 0;                        // a relay's turns begin at least so long after one another
  nanoseconds jitter = 0;                      // up to so much more latency, each time anew
  double ns_per_byte = 0.8;
  std::uint64_t seed = 1;
  /// Within a process.
  nanoseconds local() const noexcept { return std::min<nanoseconds>(link, 1000); }
};

/// A process's place in the tree.
struct tree_place {
  int parent = -1, link = 0;  // the parent's process; which of its links leads here
  bool has_relay = false;
};

class tree {
 public:
  tree(int ranks, int fan_out) : places_(static_cast<std::size_t>(ranks)) { add({0, ranks}, fan_out); }
  const tree_place& at(int process) const { return places_[static_cast<std::size_t>(process)]; }
  /// Calls visit(process, links) for each process that has a relay, parents first.
  template <class Visit>
  static void for_each_relay(mana::clock::rank_range all, int fan_out, Visit&& visit) {
    std::vector<mana::clock::rank_range> links = mana::clock::links_of(all, fan_out);
    if (links.size() == 1) return;
    visit(all.first, links);
    for (std::size_t i = 1; i < links.size(); ++i) for_each_relay(links[i], fan_out, visit);
  }

 private:
  void add(mana::clock::rank_range all, int fan_out) {
    for_each_relay(all, fan_out, [this](int process, const std::vector<mana::clock::rank_range>& links) {
      places_[static_cast<std::size_t>(process)].has_relay = true;
      for (std::size_t i = 1; i < links.size(); ++i) {
        tree_place& child = places_[static_cast<std::size_t>(links[i].first)];
        child.parent = process;
        child.link = static_cast<int>(i);
      }
    });
  }
  std::vector<tree_place> places_;
};

/// Messages of each process, by round: those that it sent to other processes and had of them.
class traffic {
 public:
  explicit traffic(int processes) : by_round_(static_cast<std::size_t>(processes)) {}

  void count(int from, int to, std::uint32_t round, std::size_t bytes) {
    if (from == to) return;
    add(from, round);
    add(to, round);
    rounds_ = std::max(rounds_, round);
    ++messages_;
    bytes_ += bytes;
  }
  std::uint32_t rounds() const noexcept { return rounds_; }
  std::uint64_t messages() const noexcept { return messages_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  /// The most that a process had in one round, and in all.
  struct most {
    std::uint32_t in_a_round = 0, in_all = 0;
    std::size_t process = 0, round = 0;  // of in_a_round
  };
  most busiest() const {
    most found;
    for (std::size_t p = 0; p < by_round_.size(); ++p) {
      std::uint32_t sum = 0;
      for (std::size_t r = 0; r < by_round_[p].size(); ++r) {
        sum += by_round_[p][r];
        if (by_round_[p][r] <= found.in_a_round) continue;
        found.in_a_round = by_round_[p][r];
        found.process = p;
        found.round = r;
      }
      found.in_all = std::max(found.in_all, sum);
    }
    return found;
  }

 private:
  void add(int process, std::uint32_t round) {
    std::vector<std::uint32_t>& counts = by_round_[static_cast<std::size_t>(process)];
    if (counts.size() <= round) counts.resize(round + 1);
    ++counts[round];
  }
  std::vector<std::vector<std::uint32_t>> by_round_;  // by process
  std::uint32_t rounds_ = 0;
  std::uint64_t messages_ = 0, bytes_ = 0;
};

}  // namespace clock_scale
