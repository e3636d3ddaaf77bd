// The collective clock with needs, as the coordinator runs it. Rules in docs/design/clock.md.
#pragma once
#include <mana/clock/message.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace mana::clock {

/// Transport: `void send(int rank, const downward&)`, delivered to each rank in the order of the calls.
/// INV: when `line` is sent, every clock's count is the same on all of its members that have started it, and no member
/// has started a collective that another has not: each rank has reported the current version, so it had no debt at
/// targets that no raise under way can change (raises and reports of a rank arrive in order).
template <class Transport>
class needs_coordinator {
 public:
  needs_coordinator(Transport& transport, int ranks) : transport_(transport), ranks_(ranks) { reset(); }

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
  void reset() {
    phase_ = phase::idle;
    version_ = 0;
    snapshots_ = 0;
    targets_.clear();
    needs_.assign(static_cast<std::size_t>(ranks_), {});
    reported_.assign(static_cast<std::size_t>(ranks_), 0);
    counts_.assign(static_cast<std::size_t>(ranks_), {});
  }
  /// The line is declared, and all ranks were told.
  bool done() const noexcept { return phase_ == phase::at_line; }

  void receive(int rank, const upward& message) {
    if (phase_ == phase::idle) return;    // of a quiesce that was given up
    std::visit([&](const auto& m) { on(rank, m); }, message);
  }

  /// One line of text for each rank that keeps the line from being declared, empty if none does.
  std::string describe() const {
    std::string text;
    for (int r = 0; r < ranks_; ++r) {
      const auto i = static_cast<std::size_t>(r);
      if (phase_ == phase::running && reported_[i] == version_) continue;
      text += "rank " + std::to_string(r) + debts_of(r) + wait_of(r) + "\n";
    }
    return text;
  }

 private:
  enum class phase { idle, collecting, running, at_line };
  struct target { std::uint64_t count = 0; std::vector<int> members; };
  struct wait { bool declared = false; std::vector<int> peers; };

  void on(int rank, const snapshot& s) {
    for (const group_count& c : s.counts) {
      target& t = targets_[c.name];
      t.count = std::max(t.count, c.count);
      if (t.members.empty()) t.members = c.members;
      counts_[static_cast<std::size_t>(rank)][c.name] = c.count;
    }
    if (++snapshots_ < ranks_) return;
    phase_ = phase::running;
    version_ = 1;
    for (int r = 0; r < ranks_; ++r) send_state(r, [](const group_name&) { return true; });
  }
  void on(int rank, const raise& m) {
    target& t = targets_[m.target.name];
    t.count = std::max(t.count, m.target.count);
    if (t.members.empty()) t.members = m.target.members;
    counts_[static_cast<std::size_t>(rank)][m.target.name] = m.target.count;
    changed([&](const group_name& name) { return name == m.target.name; });
  }
  void on(int rank, const need& m) {
    needs_[static_cast<std::size_t>(rank)] = {true, m.peers};
    changed([](const group_name&) { return false; });
  }
  void on(int rank, const need_end&) {
    needs_[static_cast<std::size_t>(rank)] = {};
    changed([](const group_name&) { return false; });
  }
  void on(int rank, const report& m) {
    reported_[static_cast<std::size_t>(rank)] = m.version;
    const bool all = std::all_of(reported_.begin(), reported_.end(), [this](std::uint64_t v) { return v == version_; });
    if (!all) return;
    phase_ = phase::at_line;
    send_all(line{});
  }

  /// A new version goes to every rank: each has to report it.
  template <class Wanted>
  void changed(Wanted&& wanted) {
    ++version_;
    for (int r = 0; r < ranks_; ++r) send_state(r, wanted);
  }

  template <class Wanted>
  void send_state(int rank, Wanted&& wanted) {
    state s{version_, {}, {}};
    for (const auto& [name, t] : targets_)
      if (wanted(name) && std::binary_search(t.members.begin(), t.members.end(), rank)) s.targets.push_back({name, t.count, {}});
    for (int r = 0; r < ranks_; ++r)
      if (r != rank && needs(r, rank)) s.needed_by.push_back(r);
    transport_.send(rank, s);
  }
  bool needs(int rank, int peer) const {
    const wait& w = needs_[static_cast<std::size_t>(rank)];
    return w.declared && (w.peers.empty() || std::find(w.peers.begin(), w.peers.end(), peer) != w.peers.end());
  }

  std::string debts_of(int rank) const {
    const auto i = static_cast<std::size_t>(rank);
    std::string text;
    for (const auto& [name, t] : targets_) {
      if (!std::binary_search(t.members.begin(), t.members.end(), rank)) continue;
      const auto known = counts_[i].find(name);
      const std::uint64_t count = known == counts_[i].end() ? 0 : known->second;
      if (count < t.count)
        text += ", " + std::to_string(t.count - count) + " collective(s) behind on the group of " +
                std::to_string(t.members.size()) + " ranks beginning with " + std::to_string(t.members.front());
    }
    for (int r = 0; r < ranks_; ++r)
      if (r != rank && needs(r, rank)) text += ", needed by rank " + std::to_string(r);
    return text;
  }
  std::string wait_of(int rank) const {
    const wait& w = needs_[static_cast<std::size_t>(rank)];
    if (!w.declared) return "";
    std::string text = ", waits for a message of";
    if (w.peers.empty()) return text + " any rank";
    for (const int p : w.peers) text += " " + std::to_string(p);
    return text;
  }

  void send_all(const downward& m) {
    for (int r = 0; r < ranks_; ++r) transport_.send(r, m);
  }

  Transport& transport_;
  const int ranks_;
  phase phase_ = phase::idle;
  std::uint64_t version_ = 0;
  int snapshots_ = 0;
  std::map<group_name, target> targets_;
  std::vector<wait> needs_;                                    // by rank
  std::vector<std::uint64_t> reported_;                        // by rank: version
  std::vector<std::map<group_name, std::uint64_t>> counts_;    // by rank, as last heard: for describe()
};

}  // namespace mana::clock
