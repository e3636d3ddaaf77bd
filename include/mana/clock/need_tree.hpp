// Finds the needed ranks: those on whose messages the ranks that are behind depend, along chains of waits. A relay
// follows the chains below it, and reports upwards where they lead out.
#pragma once
#include <mana/clock/ranks.hpp>

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace mana::clock {

/// The ranks on which a rank in debt waits. A relay reports one dependence for all ranks that are behind below it,
/// along chains, and one for each rank below it that is needed from above.
struct dependence {
  int rank = 0;            // < 0: from the relay of process -1 - rank
  bool waits = false;
  bool is_behind = false;  // else the rank is in debt because it is needed
  std::vector<int> peers;  // world ranks; empty: anyone
  static constexpr std::tuple fields{&dependence::rank, &dependence::waits, &dependence::is_behind,
                                     &dependence::peers};
  bool operator==(const dependence&) const = default;
};

/// A rank is needed if a rank that is behind, or another needed rank, waits for it. Counting all waits would be wrong.
/// Two ranks may wait for each other, in different threads, or one of them for anyone. They would need each other long
/// after the collective that made them run.
///
/// INV-24 the needed ranks depend on the waits as they are, whichever relays they came through.
class need_tree {
 public:
  explicit need_tree(rank_range below) : below_(below) {}
  need_tree(const need_tree&) = default;
  /// Keeps the members that are set at construction.
  need_tree& operator=(const need_tree& from) {
    copy_fields(from, *this);
    return *this;
  }

  /// A message from below.
  void hear(const dependence& d) {
    if (d.waits) waits_[d.rank] = d;
    else waits_.erase(d.rank);
    has_changed_ = true;
  }
  /// A message from above.
  void hear(const rank_set& needed, const rank_set& no_longer) {
    if (needed.empty() && no_longer.empty()) return;
    from_above_ = from_above_.without(no_longer).with(needed);
    has_changed_ = true;
  }

  struct changes {
    rank_set needed, no_longer;       // of ranks below
    std::vector<dependence> upwards;
  };
  /// The changes since the last call.
  changes follow() {
    changes c;
    if (!std::exchange(has_changed_, false)) return c;
    std::map<int, dependence> exports;
    reach behind;
    for (const auto& [rank, d] : waits_)
      if (d.is_behind) follow(d, behind);
    add(exports, -1 - below_.first, true, behind);
    // Each one alone, even if another depends on it: a rank above may need that one only for what this one depends on.
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
  /// Calls body(dependence) for the dependences that came from this range.
  template <class Body>
  void for_each_wait(rank_range from, Body&& body) const {
    for (const auto& [rank, d] : waits_)
      if (from.has(rank < 0 ? -1 - rank : rank)) body(d);
  }

 private:
  struct reach {
    std::set<int> needed, outside;  // ranks that are waited for: below this relay, and elsewhere
    std::set<int> seen;             // dependences that were followed
    bool anyone = false;            // somebody waits for anyone
    bool is_needed(int rank) const { return anyone || needed.contains(rank); }
  };

  /// Adds all ranks that are waited for, along chains from this dependence.
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
  std::map<int, dependence> waits_, exported_;  // by rank; exported: as reported upwards
  rank_set from_above_, needed_;                // needed: as reported to the ranks below
  bool has_changed_ = false;

 public:
  static constexpr std::tuple fields{&need_tree::waits_, &need_tree::exported_, &need_tree::from_above_,
                                     &need_tree::needed_, &need_tree::has_changed_};
};

}  // namespace mana::clock
