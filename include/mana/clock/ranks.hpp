// Sets of world ranks: ranges, and the members of communicators.
#pragma once
#include <mana/clock/fields.hpp>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace mana::clock {

/// [first, end)
struct rank_range {
  int first = 0, end = 0;
  bool has(int rank) const noexcept { return first <= rank && rank < end; }
  int size() const noexcept { return end - first; }
  bool operator==(const rank_range&) const = default;
  static constexpr std::tuple fields{&rank_range::first, &rank_range::end};
};

/// "rank 3", "ranks 4 to 7"
inline std::string describe(rank_range ranks) {
  if (ranks.size() == 1) return "rank " + std::to_string(ranks.first);
  return "ranks " + std::to_string(ranks.first) + " to " + std::to_string(ranks.end - 1);
}

/// A set of ranks as runs of equal steps. A row, a column or a half of a million ranks takes twelve bytes. Two sets are
/// equal if their ranks are equal and were added in the same order.
class rank_set {
  struct run {
    int first = 0, step = 0, number = 0;
    int at(int i) const noexcept { return first + i * step; }
    int last() const noexcept { return at(number - 1); }
    /// out: how many of its ranks are below `rank`
    int below(int rank) const noexcept {
      if (rank <= first) return 0;
      return step <= 0 ? number : static_cast<int>(std::min<std::int64_t>(number, (rank - first - 1) / step + 1));
    }
    bool operator==(const run&) const = default;
    static constexpr std::tuple fields{&run::first, &run::step, &run::number};
  };

 public:
  using value_type = int;
  class iterator {
   public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = int;
    using difference_type = std::ptrdiff_t;
    using pointer = const int*;
    using reference = int;
    iterator() = default;
    explicit iterator(const run* at) noexcept : at_(at) {}
    int operator*() const noexcept { return at_->at(i_); }
    iterator& operator++() noexcept {
      if (++i_ >= at_->number) ++at_, i_ = 0;
      return *this;
    }
    iterator operator++(int) noexcept {
      const iterator before = *this;
      ++*this;
      return before;
    }
    bool operator==(const iterator&) const = default;

   private:
    const run* at_ = nullptr;
    int i_ = 0;
  };

  rank_set() = default;
  rank_set(std::initializer_list<int> ascending) : rank_set(std::span(ascending.begin(), ascending.size())) {}
  rank_set(const std::vector<int>& ascending) : rank_set(std::span(ascending)) {}
  explicit rank_set(std::span<const int> ascending) {
    for (const int rank : ascending) push_back(rank);
  }
  explicit rank_set(rank_range all) {
    if (all.size() > 0) runs_.push_back({all.first, 1, all.size()});
  }

  /// rank: above all ranks in the set
  void push_back(int rank) {
    if (runs_.empty() || (runs_.back().number > 1 && rank != runs_.back().last() + runs_.back().step)) {
      runs_.push_back({rank, 0, 1});
      return;
    }
    if (runs_.back().number == 1) runs_.back().step = rank - runs_.back().first;
    ++runs_.back().number;
  }

  iterator begin() const noexcept { return iterator(runs_.data()); }
  iterator end() const noexcept { return iterator(runs_.data() + runs_.size()); }
  bool empty() const noexcept { return runs_.empty(); }
  int front() const noexcept { return runs_.front().first; }
  std::size_t size() const noexcept {
    std::size_t n = 0;
    for (const run& r : runs_) n += static_cast<std::size_t>(r.number);
    return n;
  }
  /// out: the rank's position among the ranks, ascending; size() if it is not in the set
  std::size_t place(int rank) const noexcept {
    std::size_t before = 0;
    for (const run& r : runs_) {
      const int below = r.below(rank);
      before += static_cast<std::size_t>(below);
      if (below < r.number) return r.at(below) == rank ? before : size();
    }
    return before;
  }
  bool contains(int rank) const noexcept {
    return std::any_of(runs_.begin(), runs_.end(), [&](const run& r) { return r.below(rank) != r.below(rank + 1); });
  }
  bool intersects(rank_range with) const noexcept {
    return std::any_of(runs_.begin(), runs_.end(),
                       [&](const run& r) { return r.below(with.first) != r.below(with.end); });
  }
  bool is_within(rank_range all) const noexcept {
    return empty() || (all.has(front()) && all.has(runs_.back().last()));
  }
  /// The ranks that lie in the range.
  rank_set in(rank_range part) const {
    rank_set some;
    for (const run& r : runs_) {
      const int from = r.below(part.first), to = r.below(part.end);
      if (from < to) some.runs_.push_back({r.at(from), to - from == 1 ? 0 : r.step, to - from});
    }
    return some;
  }
  rank_set without(const rank_set& others) const {
    rank_set some;
    std::set_difference(begin(), end(), others.begin(), others.end(), std::back_inserter(some));
    return some;
  }
  rank_set with(const rank_set& others) const {
    rank_set all;
    std::set_union(begin(), end(), others.begin(), others.end(), std::back_inserter(all));
    return all;
  }
  bool operator==(const rank_set&) const = default;

 private:
  std::vector<run> runs_;

 public:
  static constexpr std::tuple fields{&rank_set::runs_};
};

}  // namespace mana::clock
