// The collective clock with needs, as a rank runs it. Rules and why they hold: docs/design/clock.md.
#pragma once
#include <mana/clock/diagnosis.hpp>
#include <mana/clock/message.hpp>

#include <algorithm>
#include <map>
#include <set>
#include <span>

namespace mana::clock {

/// Transport: `void send(const upward&)`, delivered to the coordinator in the order of the calls.
/// Not thread-safe: the caller holds one lock per rank. No member blocks.
/// INV-18 a start that is held is not counted: the caller takes it back under the lock under which it asked, and
/// begin() gets counts that were read under that lock. So every start is in the snapshot, or asks and is judged.
template <class Transport>
class needs_rank {
 public:
  needs_rank(Transport& transport, int rank) : transport_(transport), rank_(rank) {}

  /// The rank has seen `pending`. counts: its clocks, read after every later start is sure to ask start_collective.
  /// A quiesce that was under way is given up.
  void begin(std::vector<group_count> counts) {
    reset();
    quiescing_ = true;
    for (const group_count& c : counts) clocks_[c.name] = {c.count, c.count, c.count};
    transport_.send(snapshot{std::move(counts)});
  }

  void receive(const state& s) {
    if (!quiescing_) return;          // of a request that this rank has not answered yet: its answer brings a newer one
    ++changes_;
    known_ = true;
    version_ = s.version;
    for (const group_count& t : s.targets) {
      clock& c = clocks_[t.name];     // of a communicator that this rank is still making: it owes what others started
      c.target = std::max(c.target, t.count);
    }
    needed_by_ = s.needed_by;
    tell();
  }
  void receive(const line&) {
    ++changes_;
    at_line_ = true;
  }
  void receive(const given_up&) { reset(); }
  /// The checkpoint is over.
  void end() { reset(); }

  /// in: seq  the clock's count with this collective      out: hold: take the count back, ask again when changes() grew
  verdict start_collective(const group_name& name, std::span<const int> members, std::uint64_t seq) {
    if (!quiescing_) return verdict::go;
    clock& c = clocks_[name];
    if (seq <= c.uploaded) return verdict::go;       // it is in the snapshot
    if (at_line_ || !in_debt()) return verdict::hold;
    c.count = std::max(c.count, seq);
    c.target = std::max(c.target, seq);
    transport_.send(raise{{name, seq, {members.begin(), members.end()}}});
    tell();
    return verdict::go;
  }

  /// A blocking wait for messages, or for a receive to be posted.
  /// who: any number that no other wait of this rank has; again with the same number: the wait is for others now
  /// peers: world ranks; empty: anyone
  void wait_begins(std::uint64_t who, std::span<const int> peers) {
    waits_[who] = {peers.begin(), peers.end()};
    tell();
  }
  void wait_ends(std::uint64_t who) {
    if (waits_.erase(who) != 0) tell();
  }

  bool quiescing() const noexcept { return quiescing_; }
  bool at_line() const noexcept { return at_line_; }
  /// Grows whenever a held collective may have to be judged again.
  std::uint64_t changes() const noexcept { return changes_; }

  /// A rank has a debt while others have started a collective that it has not, or wait for a message by it.
  bool in_debt() const noexcept {
    if (!known_) return false;
    if (!needed_by_.empty()) return true;
    return std::any_of(clocks_.begin(), clocks_.end(), [](const auto& c) { return c.second.count < c.second.target; });
  }

  diagnosis describe() const {
    diagnosis d;
    for (const auto& [name, c] : clocks_)
      if (c.count < c.target) d.groups.push_back({name, c.count, c.target});
    d.needed_by = needed_by_;
    d.waits = waits_for_others(d.waits_for);
    return d;
  }

 private:
  struct clock { std::uint64_t count = 0, target = 0, uploaded = 0; };

  void reset() {
    ++changes_;
    quiescing_ = known_ = at_line_ = need_declared_ = false;
    version_ = reported_ = 0;
    clocks_.clear();
    needed_by_.clear();
    declared_.clear();
    // Waits go on: they are the program's, not the quiesce's.
  }

  /// Sends what has changed for the coordinator: a need while the rank has a debt and waits; its end at once when
  /// either ends; the version seen when there is neither debt nor need. In this order.
  void tell() {
    if (!known_ || at_line_) return;
    const bool debt = in_debt();
    if (std::vector<int> peers; debt && waits_for_others(peers)) {
      if (!need_declared_ || peers != declared_) {
        need_declared_ = true;
        declared_ = peers;
        transport_.send(need{std::move(peers)});
      }
    } else if (need_declared_) {
      need_declared_ = false;
      transport_.send(need_end{});
    }
    if (!debt && !need_declared_ && reported_ != version_) {
      reported_ = version_;
      transport_.send(report{version_});
    }
  }

  /// out: peers  the union of all waits; empty if one of them is for anyone. false: no wait needs another rank
  bool waits_for_others(std::vector<int>& peers) const {
    std::set<int> found;
    for (const auto& [who, ranks] : waits_) {
      if (ranks.empty()) return true;
      found.insert(ranks.begin(), ranks.end());
    }
    found.erase(rank_);      // its own other threads run anyway while it has a debt
    peers.assign(found.begin(), found.end());
    return !peers.empty();
  }

  Transport& transport_;
  const int rank_;
  bool quiescing_ = false, known_ = false, at_line_ = false, need_declared_ = false;
  std::uint64_t version_ = 0, reported_ = 0, changes_ = 0;
  std::map<group_name, clock> clocks_;
  std::vector<int> needed_by_, declared_;
  std::map<std::uint64_t, std::vector<int>> waits_;
};

}  // namespace mana::clock
