// The counts of all members on all clocks, as far as the coordinator has heard.
#pragma once
#include <mana/clock/message.hpp>

#include <algorithm>
#include <map>

namespace mana::clock {

/// A clock's target is the largest count of any of its members. INV: behind_[r] is the number of clocks on which member
/// r's count is below the target. If nothing was heard of a member on a clock, its count is 0: it is still making the
/// communicator.
class ledger {
 public:
  struct entry {
    std::uint64_t target = 0;
    rank_set members;
    std::vector<std::uint64_t> counts;         // by member

    static constexpr std::tuple fields{&entry::target, &entry::members, &entry::counts};
  };

  explicit ledger(int ranks) : behind_(static_cast<std::size_t>(ranks)) {}

  /// Sets the rank's count. out: the target grew. in: c.members  may be empty if the clock is known
  bool count(int rank, const group_count& c) {
    entry& e = entries_[c.name];
    if (e.members.empty()) {
      e.members = c.members;
      e.counts.assign(e.members.size(), 0);
    }
    const std::size_t mine = e.members.place(rank);
    if (mine == e.members.size() || c.count <= e.counts[mine]) return false;
    if (e.counts[mine] < e.target && c.count >= e.target) --behind(rank);
    e.counts[mine] = c.count;
    if (c.count <= e.target) return false;
    raise(e, c.count, mine);
    return true;
  }

  /// Allows the members to start up to c.count: a member with a lower count is behind. in: c.members  as above
  void allow(const group_count& c) {
    entry& e = entries_[c.name];
    if (e.members.empty()) {
      e.members = c.members;
      e.counts.assign(e.members.size(), 0);
    }
    if (c.count > e.target) raise(e, c.count, e.counts.size());
  }

  /// out: 0 for an unknown clock
  std::uint64_t target(const group_name& name) const {
    const auto at = entries_.find(name);
    return at == entries_.end() ? 0 : at->second.target;
  }
  bool is_anyone_behind() const {
    return std::any_of(behind_.begin(), behind_.end(), [](std::size_t clocks) { return clocks > 0; });
  }
  bool is_behind(int rank) const { return behind_[static_cast<std::size_t>(rank)] > 0; }
  const std::map<group_name, entry>& entries() const noexcept { return entries_; }

 private:
  /// but: the member whose count is `target`
  void raise(entry& e, std::uint64_t target, std::size_t but) {
    std::size_t m = 0;
    for (const int rank : e.members) {
      if (m != but && e.counts[m] == e.target) ++behind(rank);
      ++m;
    }
    e.target = target;
  }
  std::size_t& behind(int rank) { return behind_[static_cast<std::size_t>(rank)]; }

  std::map<group_name, entry> entries_;
  std::vector<std::size_t> behind_;            // by rank

 public:
  static constexpr std::tuple fields{&ledger::entries_, &ledger::behind_};
};

}  // namespace mana::clock
