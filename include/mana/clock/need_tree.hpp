// Who is needed: on whose messages the ranks depend that are behind, along chains of waits. A relay decides it as far
// as chains stay below it, and says what leads out.
#pragma once
#include <mana/clock/ranks.hpp>

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace mana::clock {

/// On whom a rank waits while it has a debt. Of a relay: on whom all wait that are behind below it, along chains; or
/// on whom a rank below it depends that above calls needed.
struct dependence {
  int rank = 0;            // < 0: of the relay of process -1 - rank
  bool waits = false;
  bool is_behind = false;  // else it has its debt because it is needed
  std::vector<int> peers;  // world ranks; empty: anyone
  static constexpr std::tuple fields{&dependence::rank, &dependence::waits, &dependence::is_behind,
                                     &dependence::peers};
  bool operator==(const dependence&) const = default;
};

/// Whom a rank that is behind waits for is needed, and whom a needed one waits for. Counting all waits would not do:
/// two ranks that wait for each other (in different threads, or one of them for anyone) would need each other long
/// after the collective that made them run.
///
/// INV-24 who is needed depends on the waits as they are, whichever relays they came through.
class need_tree {
 public:
  explicit need_tree(rank_range below) : below_(below) {}
  need_tree(const need_tree&) = default;
  /// What it was constructed with it keeps.
  need_tree& operator=(const need_tree& from) {
    copy_fields(from, *this);
    return *this;
  }

  /// From below.
  void hear(const dependence& d) {
    if (d.waits) waits_[d.rank] = d;
    else waits_.erase(d.rank);
    has_changed_ = true;
  }
  /// From above.
  void hear(const rank_set& needed, const rank_set& no_longer) {
    if (needed.empty() && no_longer.empty()) return;
    from_above_ = from_above_.without(no_longer).with(needed);
    has_changed_ = true;
  }

  struct changes {
    rank_set needed, no_longer;       // of ranks below
    std::vector<dependence> upwards;
  };
  /// Since the last time.
  changes follow() {
    changes c;
    if (!std::exchange(has_changed_, false)) return c;
    std::map<int, dependence> exports;
    reach behind;
    for (const auto& [rank, d] : waits_)
      if (d.is_behind) follow(d, behind);
    add(exports, -1 - below_.first, true, behind);
    // Each by itself, also if another depends on it: above may need that one only for what this one depends on.
    reach all = behind;
    for (const int rank : from_above_)
      if (!behind.is_needed(rank)) follow_needed(rank, all, exports);
    tell(all, c);
    for (const auto& [rank, d] : exported_)
      if (!exports.contains(rank)) c.upwards.push_back({rank, false, false, {}});
    for (const auto& [rank, d] : exports)
      if (const auto at = exported_.find(rank); at == exported_.end() || at->second != d) c.upwards.push_back(d);
    exported_ = std::move(exports);
    return c;
  }

  bool is_needed(int rank) const { return needed_.contains(rank); }
  /// Calls body(dependence) for those that came from this range.
  template <class Body>
  void for_each_wait(rank_range from, Body&& body) const {
    for (const auto& [rank, d] : waits_)
      if (from.has(rank < 0 ? -1 - rank : rank)) body(d);
  }

 private:
  struct reach {
    std::set<int> needed, outside;  // ranks that are waited for, below and elsewhere
    std::set<int> seen;             // dependences that were followed
    bool anyone = false;            // is waited for
    bool is_needed(int rank) const { return anyone || needed.contains(rank); }
  };

  /// Who is waited for from here on.
  void follow(const dependence& from, reach& r) const {
    std::vector<const dependence*> next;
    const auto see = [&](const dependence& d) {
      if (r.seen.insert(d.rank).second) next.push_back(&d);
    };
    see(from);
    while (!next.empty()) {
      const dependence& d = *next.back();
      next.pop_back();
      if (d.peers.empty() && !std::exchange(r.anyone, true))
        for (const auto& [rank, other] : waits_) see(other);
      for (const int peer : d.peers) {
        if (!below_.has(peer)) {
          r.outside.insert(peer);
          continue;
        }
        r.needed.insert(peer);
        if (const auto at = waits_.find(peer); at != waits_.end()) see(at->second);
      }
    }
  }
  void follow_needed(int rank, reach& all, std::map<int, dependence>& exports) const {
    reach own;
    if (const auto at = waits_.find(rank); at != waits_.end()) follow(at->second, own);
    add(exports, rank, false, own);
    all.needed.insert(rank);
    all.needed.insert(own.needed.begin(), own.needed.end());
    all.anyone = all.anyone || own.anyone;
  }
  static void add(std::map<int, dependence>& to, int rank, bool is_behind, const reach& r) {
    if (r.anyone) to[rank] = {rank, true, is_behind, {}};
    else if (!r.outside.empty()) to[rank] = {rank, true, is_behind, {r.outside.begin(), r.outside.end()}};
  }
  void tell(const reach& all, changes& c) {
    rank_set now;
    if (all.anyone) now = rank_set(below_);
    else for (const int rank : all.needed) now.push_back(rank);
    c.needed = now.without(needed_);
    c.no_longer = needed_.without(now);
    needed_ = std::move(now);
  }

  const rank_range below_;
  std::map<int, dependence> waits_, exported_;  // by rank; exported: as above was told
  rank_set from_above_, needed_;                // needed: as those below were told
  bool has_changed_ = false;

 public:
  static constexpr std::tuple fields{&need_tree::waits_, &need_tree::exported_, &need_tree::from_above_,
                                     &need_tree::needed_, &need_tree::has_changed_};
};

}  // namespace mana::clock
