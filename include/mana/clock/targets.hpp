// Targets of clocks in a relay or a coordinator, and which of its neighbours know them.
#pragma once
#include <mana/clock/message.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace mana::clock {

/// The neighbours are the links, by their numbers, and the level above. A neighbour hears each target once, if it leads
/// to a member of the group and has not reported the target itself. So a target that comes from one neighbour is passed
/// on to the others.
class target_table {
 public:
  explicit target_table(std::span<const rank_range> links) : links_(links) {}
  target_table(const target_table&) = default;
  /// Keeps the members that are set at construction.
  target_table& operator=(const target_table& from) {
    copy_fields(from, *this);
    return *this;
  }
  std::size_t above() const noexcept { return links_.size(); }

  /// A neighbour reports a count that was started, or allowed.
  void hear(std::size_t from, const group_count& c) {
    if (c.count == 0) return;
    entry& e = entries_[c.name];
    if (e.known.empty()) {
      e.members = c.members;
      e.known.assign(links_.size() + 1, 0);
    }
    e.known[from] = std::max(e.known[from], c.count);
    if (c.count == e.target) return;
    e.target = std::max(e.target, c.count);
    changed_.insert(c.name);
  }

  /// Calls body(neighbour, target) for each target that a neighbour does not know, and notes that it knows it.
  template <class Body>
  void tell(Body&& body) {
    for (const group_name& name : changed_) {
      entry& e = entries_[name];
      for (std::size_t n = 0; n <= above(); ++n) {
        if (e.known[n] >= e.target || !concerns(n, e.members)) continue;
        e.known[n] = e.target;
        body(n, group_count{name, e.target, e.members});
      }
    }
    changed_.clear();
  }

 private:
  struct entry {
    std::uint64_t target = 0;
    rank_set members;
    std::vector<std::uint64_t> known;  // by neighbour: the largest count that it has sent or received
    static constexpr std::tuple fields{&entry::target, &entry::members, &entry::known};
  };

  bool concerns(std::size_t neighbour, const rank_set& members) const {
    if (neighbour != above()) return members.intersects(links_[neighbour]);
    return !members.is_within({links_.front().first, links_.back().end});
  }

  std::span<const rank_range> links_;
  std::map<group_name, entry> entries_;
  std::set<group_name> changed_;

 public:
  static constexpr std::tuple fields{&target_table::entries_, &target_table::changed_};
};

}  // namespace mana::clock
