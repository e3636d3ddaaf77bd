// Who is needed: on whose messages the ranks depend that are behind, along chains of waits.
#pragma once
#include <mana/clock/ranks.hpp>

#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace mana::clock {

/// A rank *counts* if it is behind or needed; who is waited for by one that counts is needed. Counting all waits would not
/// do: two ranks that wait for each other (in different threads, or one of them for anyone) would need each other long
/// after the collective that made them run. What a change costs follows from what it changes, not from the number of
/// ranks; but while somebody waits for anyone, everything is followed anew.
class need_graph {
 public:
  explicit need_graph(int ranks) : ranks_(ranks) {}
  need_graph(const need_graph&) = default;
  /// What it was constructed with it keeps.
  need_graph& operator=(const need_graph& from) {
    copy_fields(from, *this);
    return *this;
  }

  /// The rank waits for these, from now on; empty: anyone
  void wait(int rank, bool is_behind, std::vector<int> peers) {
    end(rank);
    std::erase_if(peers, [&](int p) { return p == rank || p < 0 || p >= ranks_; });
    if (peers.empty()) for_anyone_.insert(rank);
    for (const int p : peers) waiters_[p].insert(rank);
    waits_[rank] = {is_behind, std::move(peers)};
    begun_.insert(rank);
  }
  void end(int rank) {
    const auto at = waits_.find(rank);
    if (at == waits_.end()) return;
    for (const int p : at->second.peers) {
      const auto of = waiters_.find(p);
      of->second.erase(rank);
      if (of->second.empty()) waiters_.erase(of);
      doubtful_.insert(p);
    }
    if (needed_.contains(rank)) doubtful_.insert(rank);  // it may have been only its own wait that made it so
    was_for_anyone_ = for_anyone_.erase(rank) != 0 || was_for_anyone_;
    begun_.erase(rank);
    waits_.erase(at);
  }

  struct changes {
    rank_set needed, no_longer;
  };
  /// Since the last time.
  changes follow() {
    if (begun_.empty() && doubtful_.empty() && !was_for_anyone_) return {};
    std::map<int, bool> was;  // of ranks for which it may have changed: needed before
    if (!for_anyone_.empty() || was_for_anyone_) follow_all(was);
    else follow_changed(was);
    begun_.clear();
    doubtful_.clear();
    was_for_anyone_ = false;
    changes made;
    for (const auto& [rank, before] : was)
      if (before != needed_.contains(rank)) (before ? made.no_longer : made.needed).push_back(rank);
    return made;
  }

  bool is_needed(int rank) const { return needed_.contains(rank); }
  /// out: nullptr if it does not wait; empty: for anyone
  const std::vector<int>* wait_of(int rank) const {
    const auto at = waits_.find(rank);
    return at == waits_.end() ? nullptr : &at->second.peers;
  }
  bool is_behind(int rank) const {
    const auto at = waits_.find(rank);
    return at != waits_.end() && at->second.is_behind;
  }
  /// Those of the range that wait or are needed.
  rank_set concerned(rank_range among) const {
    rank_set waiting, needed;
    for (auto at = waits_.lower_bound(among.first); at != waits_.end() && at->first < among.end; ++at)
      waiting.push_back(at->first);
    for (auto at = needed_.lower_bound(among.first); at != needed_.end() && *at < among.end; ++at)
      needed.push_back(*at);
    return waiting.with(needed);
  }

 private:
  struct node {
    bool is_behind = false;
    std::vector<int> peers;  // empty: anyone
    static constexpr std::tuple fields{&node::is_behind, &node::peers};
  };

  /// Nobody waits for anyone.
  void follow_changed(std::map<int, bool>& was) {
    while (!doubtful_.empty()) {
      const int rank = *doubtful_.begin();
      doubtful_.erase(doubtful_.begin());
      if (needed_.contains(rank)) drop_unless_needed(rank, was);
    }
    std::vector<int> next(begun_.begin(), begun_.end());
    spread(next, was);
  }

  /// INV-24 who is needed depends on the waits as they are, not on how they came about. Backwards along waits: if nobody
  /// on the way is behind, nobody on the way is needed, and those for whom they wait are in doubt.
  void drop_unless_needed(int rank, std::map<int, bool>& was) {
    std::set<int> seen{rank};
    std::vector<int> next{rank};
    while (!next.empty()) {
      const auto waiters = waiters_.find(next.back());
      next.pop_back();
      if (waiters == waiters_.end()) continue;
      for (const int w : waiters->second) {
        if (is_behind(w)) return;
        if (needed_.contains(w) && seen.insert(w).second) next.push_back(w);
      }
    }
    for (const int r : seen) {
      was.try_emplace(r, true);
      needed_.erase(r);
    }
    for (const int r : seen)
      if (const std::vector<int>* peers = wait_of(r); peers != nullptr)
        for (const int p : *peers)
          if (needed_.contains(p)) doubtful_.insert(p);
  }

  /// From those of `next` that count.
  void spread(std::vector<int>& next, std::map<int, bool>& was) {
    while (!next.empty()) {
      const int from = next.back();
      next.pop_back();
      const std::vector<int>* const peers = wait_of(from);
      if (peers == nullptr || (!is_behind(from) && !is_needed(from))) continue;
      const auto need = [&](int p) {
        if (p == from || !needed_.insert(p).second) return;
        was.try_emplace(p, false);
        next.push_back(p);
      };
      for (const int p : *peers) need(p);
      if (!peers->empty()) continue;
      for (int p = 0; p < ranks_; ++p) need(p);
    }
  }

  void follow_all(std::map<int, bool>& was) {
    for (const int r : needed_) was.emplace(r, true);
    needed_.clear();
    std::vector<int> next;
    for (const auto& [rank, w] : waits_)
      if (w.is_behind) next.push_back(rank);
    spread(next, was);
  }

  const int ranks_;
  std::map<int, node> waits_;             // by rank
  std::map<int, std::set<int>> waiters_;  // by peer
  std::set<int> for_anyone_;              // who waits so
  std::set<int> needed_;
  std::set<int> begun_, doubtful_;        // since it was followed: waits; ranks that were waited for
  bool was_for_anyone_ = false;           // one that ended was

 public:
  static constexpr std::tuple fields{&need_graph::waits_,  &need_graph::waiters_, &need_graph::for_anyone_,
                                     &need_graph::needed_, &need_graph::begun_,   &need_graph::doubtful_,
                                     &need_graph::was_for_anyone_};
};

}  // namespace mana::clock
