// Sets of ranks, and communicators. Kept once for all of their members.
#pragma once
#include "random.hpp"

#include <mana/clock/message.hpp>

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <vector>

namespace clock_scale {

/// A set of ranks that has a clock. Communicators over the same ranks share it.
struct group {
  std::uint32_t index = 0;
  mana::clock::group_name name{};
  std::vector<int> ranks;          // world ranks, ascending
  mana::clock::rank_set members;  // the same

  int size() const noexcept { return static_cast<int>(ranks.size()); }
  /// in: it is a member
  int place_of(int rank) const {
    return static_cast<int>(std::lower_bound(ranks.begin(), ranks.end(), rank) - ranks.begin());
  }
};

class group_table {
 public:
  group& of(std::vector<int> ranks) {
    std::unique_ptr<group>& found = by_ranks_[hash(ranks)];
    if (found) return *found;
    found = std::make_unique<group>();
    found->index = static_cast<std::uint32_t>(all_.size());
    found->name = {hash(ranks), ranks.size()};
    found->members = mana::clock::rank_set(ranks);
    found->ranks = std::move(ranks);
    all_.push_back(found.get());
    return *found;
  }
  group& at(std::uint32_t index) const { return *all_[index]; }
  std::size_t size() const noexcept { return all_.size(); }

 private:
  static std::uint64_t hash(const std::vector<int>& ranks) noexcept {
    std::uint64_t h = 0x9e3779b97f4a7c15;
    for (const int r : ranks) h = mixed(h ^ static_cast<std::uint64_t>(r));
    return h;
  }

  std::map<std::uint64_t, std::unique_ptr<group>> by_ranks_;
  std::vector<group*> all_;
};

}  // namespace clock_scale
