// The collective clock with needs, as the coordinator runs it. Rules and why they hold: docs/design/clock.md.
#pragma once
#include <mana/clock/ledger.hpp>
#include <mana/clock/message.hpp>
#include <mana/clock/wait_graph.hpp>

#include <string>

namespace mana::clock {

/// Transport: `void send(int rank, const downward&)`, delivered to each rank in the order of the calls.
/// INV-16 when `line` is sent, every clock's count is the same on all of its members. Each rank has reported the
/// current version, so it had no debt at the current targets; what it had started before, it had raised before, so
/// that is in the targets; and it starts nothing after, since only a newer version can give it a debt.
/// INV-17 versions never go back, not even between requests: what a rank sent in a quiesce that was given up may
/// arrive in the next one, and its reports must not count.
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
  /// The checkpoint is over, or there was none: ready for the next request.
  void reset() {
    phase_ = phase::idle;
    up_to_date_ = 0;
    ledger_ = ledger(ranks_);
    waits_ = {};
    needed_by_.assign(static_cast<std::size_t>(ranks_), {});
    answered_.assign(static_cast<std::size_t>(ranks_), false);
    reported_.assign(static_cast<std::size_t>(ranks_), 0);
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
      const std::string name = "rank " + std::to_string(r);
      if (phase_ == phase::collecting && !answered_[index(r)]) text += name + " has not answered the request\n";
      if (phase_ == phase::running && reported_[index(r)] != version_) text += name + why_behind(r) + "\n";
    }
    return text;
  }

 private:
  enum class phase { idle, collecting, running, at_line };
  using entry = std::pair<const group_name, ledger::entry>;

  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  /// A rank's second snapshot in one quiesce tells that its first was of a quiesce that was given up, and so was all
  /// that came between. What was counted then still is; the wait is not, and the rank has dropped its state.
  void on(int rank, const snapshot& s) {
    waits_.end(rank);
    for (const group_count& c : s.counts) ledger_.count(rank, c);
    answered_[index(rank)] = true;
    if (std::find(answered_.begin(), answered_.end(), false) != answered_.end()) return;
    phase_ = phase::running;
    std::vector<const entry*> all;
    for (const entry& e : ledger_.entries()) all.push_back(&e);
    needed_by_ = needed_by_now();
    next_version(all);
  }
  void on(int rank, const raise& m) {
    std::vector<const entry*> raised;
    if (ledger_.count(rank, m.target)) raised.push_back(&*ledger_.entries().find(m.target.name));
    changed(raised);
  }
  void on(int rank, const need& m) {
    waits_.begin(rank, m.peers);
    changed({});
  }
  void on(int rank, const need_end&) {
    waits_.end(rank);
    changed({});
  }
  void on(int rank, const report& m) {
    if (phase_ != phase::running || m.version != version_ || reported_[index(rank)] == version_) return;
    reported_[index(rank)] = version_;
    if (++up_to_date_ < ranks_) return;
    phase_ = phase::at_line;
    send_all(line{});
  }

  wait_graph::lists needed_by_now() const {
    return waits_.needed_by(ranks_, [this](int r) { return ledger_.is_behind(r); });
  }

  /// What a rank could see is a new version. Before all snapshots are here there is none: a rank that knew only a part
  /// of the targets would report too early.
  void changed(const std::vector<const entry*>& raised) {
    if (phase_ != phase::running) return;
    wait_graph::lists now = needed_by_now();
    if (raised.empty() && now == needed_by_) return;
    needed_by_ = std::move(now);
    next_version(raised);
  }

  /// A version goes to every rank: each has to report it.
  void next_version(const std::vector<const entry*>& raised) {
    ++version_;
    up_to_date_ = 0;
    for (int r = 0; r < ranks_; ++r) {
      state s{version_, {}, needed_by_[index(r)]};
      for (const entry* e : raised)
        if (e->second.has(r)) s.targets.push_back({e->first, e->second.target, {}});
      transport_.send(r, s);
    }
  }

  std::string why_behind(int rank) const {
    std::string text;
    for (const auto& [name, e] : ledger_.entries()) {
      const std::size_t mine = e.place(rank);
      if (mine == e.members.size() || e.counts[mine] == e.target) continue;
      text += ", " + std::to_string(e.target - e.counts[mine]) + " collective(s) behind on the group of " +
              std::to_string(e.members.size()) + " ranks beginning with " + std::to_string(e.members.front());
    }
    for (const int who : needed_by_[index(rank)]) text += ", needed by rank " + std::to_string(who);
    if (const std::vector<int>* peers = waits_.wait_of(rank); peers != nullptr) {
      text += ", waits for a message of";
      for (const int peer : *peers) text.append(1, ' ').append(std::to_string(peer));
      if (peers->empty()) text += " any rank";
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
  int up_to_date_ = 0;                           // ranks that have reported version_
  ledger ledger_{0};
  wait_graph waits_;
  wait_graph::lists needed_by_;                  // by rank, as of version_
  std::vector<bool> answered_;                   // by rank
  std::vector<std::uint64_t> reported_;          // by rank: version
};

}  // namespace mana::clock
