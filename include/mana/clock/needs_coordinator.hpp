// The collective clock with needs, as the coordinator runs it. Rules and why they hold: docs/design/clock.md.
#pragma once
#include <mana/clock/message.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace mana::clock {

/// Transport: `void send(int rank, const downward&)`, delivered to each rank in the order of the calls.
/// INV-LINE: when `line` is sent, every clock's count is the same on all of its members. Each rank has reported the
/// current version, so it had no debt at the current targets; it cannot have passed them since, because it would have
/// sent a raise before it entered, and that raise would have arrived before its report or made a newer version.
/// INV-VERSION: versions never go back, not even between requests: what a rank sent in a quiesce that was given up may
/// arrive in the next one, and its reports must not count.
template <class Transport>
class needs_coordinator {
 public:
  needs_coordinator(Transport& transport, int ranks)
      : transport_(transport), ranks_(ranks), standings_(static_cast<std::size_t>(ranks)) {}

  void request() {
    reset();
    phase_ = phase::collecting;
    send_all(pending{});
  }
  void give_up() {
    if (phase_ == phase::idle) return;
    send_all(given_up{});
    reset();
  }
  /// The checkpoint is over, or there was none: ready for the next request.
  void reset() {
    phase_ = phase::idle;
    answered_ = up_to_date_ = 0;
    targets_.clear();
    needs_.clear();
    standings_.assign(standings_.size(), {});
  }
  /// The line is declared, and all ranks were told.
  bool done() const noexcept { return phase_ == phase::at_line; }

  void receive(int rank, const upward& message) {
    if (phase_ == phase::idle || phase_ == phase::at_line) return;    // of a quiesce that was given up
    std::visit([&](const auto& m) { on(rank, m); }, message);
  }

  /// One line of text for each rank that keeps the line from being declared, empty if none does.
  std::string describe() const {
    std::string text;
    for (int r = 0; r < ranks_; ++r) {
      const standing& s = of(r);
      const std::string name = "rank " + std::to_string(r);
      if (phase_ == phase::collecting && !s.answered) text += name + " has not answered the request\n";
      if (phase_ == phase::running && s.reported != version_) text += name + why_behind(r) + "\n";
    }
    return text;
  }

 private:
  enum class phase { idle, collecting, running, at_line };
  struct target {
    std::uint64_t count = 0;
    std::uint64_t since = 0;     // version: whoever reported it or a later one has started all these collectives
    std::vector<int> members;
  };
  struct standing {              // of a rank
    bool answered = false;
    std::uint64_t reported = 0;                     // version
    std::map<group_name, std::uint64_t> counts;     // as last heard, for describe()
  };

  standing& of(int rank) { return standings_[static_cast<std::size_t>(rank)]; }
  const standing& of(int rank) const { return standings_[static_cast<std::size_t>(rank)]; }

  /// A rank's second snapshot in one quiesce tells that its first was of a quiesce that was given up, and with it all
  /// that came between. What was counted then still is; the need is not, and the rank has lost its state.
  void on(int rank, const snapshot& s) {
    needs_.erase(rank);
    for (const group_count& c : s.counts) count(rank, c);
    answered_ += of(rank).answered ? 0 : 1;
    of(rank).answered = true;
    if (answered_ == ranks_) {
      phase_ = phase::running;
      next_version(all_targets);
    }
  }
  void on(int rank, const raise& m) {
    count(rank, m.target);
    next_version([&](const group_name& name) { return name == m.target.name; });
  }
  void on(int rank, const need& m) {
    needs_[rank] = m.peers;
    next_version(no_target);
  }
  void on(int rank, const need_end&) {
    needs_.erase(rank);
    next_version(no_target);
  }
  void on(int rank, const report& m) {
    if (phase_ != phase::running || m.version != version_ || of(rank).reported == version_) return;
    of(rank).reported = version_;
    if (++up_to_date_ < ranks_) return;
    phase_ = phase::at_line;
    send_all(line{});
  }

  void count(int rank, const group_count& c) {
    target& t = targets_[c.name];
    if (c.count > t.count) {
      t.count = c.count;
      t.since = version_ + 1;
    }
    if (t.members.empty()) t.members = c.members;
    of(rank).counts[c.name] = c.count;
  }

  static bool all_targets(const group_name&) { return true; }
  static bool no_target(const group_name&) { return false; }

  /// Every change is a new version, and a new version goes to every rank: each has to report it. Before all snapshots
  /// are here there is none: a rank that knew only a part of the targets would report too early.
  template <class Changed>
  void next_version(Changed&& changed) {
    if (phase_ != phase::running) return;
    ++version_;
    up_to_date_ = 0;
    std::vector<std::pair<const group_name, target>*> news;
    for (auto& entry : targets_)
      if (changed(entry.first)) news.push_back(&entry);
    for (int r = 0; r < ranks_; ++r) {
      state s{version_, {}, needed_by(r)};
      for (const auto* entry : news)
        if (is_member(entry->second, r)) s.targets.push_back({entry->first, entry->second.count, {}});
      transport_.send(r, s);
    }
  }

  static bool is_member(const target& t, int rank) {
    return std::binary_search(t.members.begin(), t.members.end(), rank);
  }

  std::vector<int> needed_by(int rank) const {
    std::vector<int> ranks;
    for (const auto& [who, peers] : needs_) {
      const bool meant = peers.empty() || std::find(peers.begin(), peers.end(), rank) != peers.end();
      if (meant && who != rank) ranks.push_back(who);
    }
    return ranks;
  }

  std::string why_behind(int rank) const {
    std::string text;
    for (const auto& [name, t] : targets_) {
      if (!is_member(t, rank) || of(rank).reported >= t.since) continue;
      const auto known = of(rank).counts.find(name);
      const std::uint64_t count = known == of(rank).counts.end() ? 0 : known->second;
      if (count >= t.count) continue;
      text += ", " + std::to_string(t.count - count) + " collective(s) behind on the group of " +
              std::to_string(t.members.size()) + " ranks beginning with " + std::to_string(t.members.front());
    }
    for (const int who : needed_by(rank)) text += ", needed by rank " + std::to_string(who);
    if (const auto wait = needs_.find(rank); wait != needs_.end()) {
      text += ", waits for a message of";
      for (const int peer : wait->second) text += " " + std::to_string(peer);
      if (wait->second.empty()) text += " any rank";
    }
    return text.empty() ? " has not answered the last change" : text;
  }

  void send_all(const downward& m) {
    for (int r = 0; r < ranks_; ++r) transport_.send(r, m);
  }

  Transport& transport_;
  const int ranks_;
  phase phase_ = phase::idle;
  std::uint64_t version_ = 0;
  int answered_ = 0, up_to_date_ = 0;            // ranks whose snapshot is here; whose report is of version_
  std::map<group_name, target> targets_;
  std::map<int, std::vector<int>> needs_;        // by the rank that waits
  std::vector<standing> standings_;              // by rank
};

}  // namespace mana::clock
