// Targets of clocks, as a relay or a coordinator knows them, and which of its neighbours know them too.
#pragma once
#include <mana/clock/message.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace mana::clock {

/// Neighbours are the links, by their numbers, and whoever is above. Each hears of each target once, if it leads to a
/// member of the group and has not said so itself: what comes from one is passed on to the others.
class target_table {
 public:
  explicit target_table(std::span<const rank_range> links) : links_(links) {}
  target_table(const target_table&) = default;
  /// What it was constructed with it keeps.
  target_table& operator=(const target_table& from) {
    copy_fields(from, *this);
    return *this;
  }
  std::size_t above() const noexcept { return links_.size(); }

  /// A neighbour has said that so many were started, or may be.
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

  /// Calls body(neighbour, target) for all that a neighbour does not know. From now on it does.
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
    std::vector<std::uint64_t> known;  // by neighbour: the most that it has said or was told
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
