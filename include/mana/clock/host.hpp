// The surroundings of a policy in each rank and in the coordinator: requests, their numbers, waits of threads. The
// hosts keep the contract of policy.hpp towards the policy, and check that the policy keeps its part.
#pragma once
#include <mana/clock/policy.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <set>

namespace mana::clock {

/// Reports a mistake of a policy's author. Otherwise it would stop or corrupt a program later, where nobody finds the
/// cause.
template <class P>
[[noreturn]] void broken(const char* rule) {
  std::fprintf(stderr, "mana: the clock policy %s breaks its contract: %s (include/mana/clock/policy.hpp)\n",
               std::string(P::name).c_str(), rule);
  std::abort();
}

/// Numbers requests, the same in all ranks: 1, 2, …; 0: no request.
using request_number = std::uint64_t;

/// Transport: `void answer(request_number)`, `void send(const typename P::up&)`: to the coordinator, in the order of
/// the calls. Not thread-safe: the caller holds one lock for each rank. No member blocks.
///
/// INV-18 every start of a collective is in the `snapshot`, or asks and is judged. A start that is held is not counted:
/// the caller takes it back under the lock under which it asked. begin() gets counts that were read under that lock. A
/// start that is in the counts may still ask, even after the line; it may go, because others have started the
/// collective, or will.
template <policy P, class Transport>
class rank_host {
 public:
  rank_host(Transport& transport, int rank) : to_coordinator_{transport}, rank_(rank) {}
  /// A copy with its own surroundings, for checkers of all schedules.
  rank_host(Transport& transport, const rank_host& from) : to_coordinator_{transport}, rank_(from.rank_) {
    copy_fields(from, *this);
    if (from.part_) copy_fields(*from.part_, part_.emplace(to_coordinator_, rank_));
  }
  rank_host(const rank_host&) = delete;
  rank_host& operator=(const rank_host&) = delete;

  /// The rank has seen the request. counts: its clocks, read after every later start is sure to ask start().
  /// Gives up a quiesce that is under way.
  void begin(request_number number, std::vector<group_count> counts) {
    end();
    to_coordinator_.transport.answer(number);
    if constexpr (always_asks<P>) {
      part_.emplace(to_coordinator_, rank_).begin(list_of(started_), list_of(synchronizing_));
    } else {
      counted_.clear();
      for (const group_count& c : counts) counted_[c.name] = c.count;
      part_.emplace(to_coordinator_, rank_).begin(std::move(counts));
    }
    part_->waits(told_ = all_waits());
  }
  void receive(const typename P::down& message) {
    if (!part_ || at_line_) return;
    ++changes_;
    part_->receive(message);
  }
  void line() {
    ++changes_;
    at_line_ = true;
  }
  /// The checkpoint is over, or was given up.
  void end() {
    ++changes_;
    part_.reset();
    at_line_ = false;
  }

  /// out: hold: take the count back, and ask again when changes() has grown.
  ///      synchronize: take it back. Begin the trivial barrier, or continue the one under way. Ask again after it.
  ///      refuse: take it back
  verdict start(const collective& c) {
    if constexpr (always_asks<P>) return start_or_synchronize(c);
    if (!part_) return verdict::go;
    if (const auto at = counted_.find(c.name); at != counted_.end() && c.count <= at->second) return verdict::go;
    if (at_line_) return verdict::hold;
    const verdict v = part_->start(c);
    if (v == verdict::synchronize) broken<P>("rule 4: it does not always ask, so there is no trivial barrier");
    return v;
  }

  /// A blocking wait for messages, or until a receive is posted.
  ///
  /// in: who    any number that no other wait of this rank has. A second call with the same number replaces its peers
  ///     peers  world ranks; empty: anyone
  void wait_begins(std::uint64_t who, std::span<const int> peers) {
    waits_[who] = {peers.begin(), peers.end()};
    tell_waits();
  }
  void wait_ends(std::uint64_t who) {
    if (waits_.erase(who) != 0) tell_waits();
  }

  bool quiescing() const noexcept { return part_.has_value(); }
  bool at_line() const noexcept { return at_line_; }
  /// Grows whenever a held collective may need a new verdict.
  std::uint64_t changes() const noexcept { return changes_; }

 private:
  struct gate {
    Transport& transport;
    void send(const typename P::up& message) { transport.send(message); }
  };
  using part = typename P::template rank<gate>;

  verdict start_or_synchronize(const collective& c) {
    if (!c.blocking) return verdict::refuse;
    if (at_line_ && !c.synchronized) return verdict::hold;
    if (!c.synchronized && synchronizing_.contains(c.name)) return verdict::synchronize;   // after a checkpoint
    collective numbered = c;
    const auto before = started_.find(c.name);
    numbered.count = before == started_.end() ? 1 : before->second.count + 1;
    const verdict v = part_ && !at_line_ ? part_->start(numbered)
                      : c.synchronized   ? verdict::go
                                         : verdict::synchronize;
    if (c.synchronized && v != verdict::go) broken<P>("rule 4: a collective is held after its trivial barrier");
    const group_count counted{c.name, numbered.count, c.members};
    if (v == verdict::synchronize) synchronizing_[c.name] = counted;
    if (v == verdict::go) started_[c.name] = counted, synchronizing_.erase(c.name);
    return v;
  }
  static std::vector<group_count> list_of(const std::map<group_name, group_count>& named) {
    std::vector<group_count> list;
    for (const auto& [name, c] : named) list.push_back(c);
    return list;
  }

  void tell_waits() {
    if (!part_ || at_line_) return;
    if (wait_set now = all_waits(); now != told_) part_->waits(told_ = std::move(now));
  }

  /// Waits for this rank itself do not count: while others depend on the rank, all its threads run.
  wait_set all_waits() const {
    if (waits_.empty()) return std::nullopt;
    std::set<int> found;
    for (const auto& [who, ranks] : waits_) {
      if (ranks.empty()) return std::vector<int>{};
      found.insert(ranks.begin(), ranks.end());
    }
    found.erase(rank_);
    if (found.empty()) return std::nullopt;
    return std::vector<int>(found.begin(), found.end());
  }

  gate to_coordinator_;
  const int rank_;
  std::optional<part> part_;  // while a request is under way
  std::map<group_name, std::uint64_t> counted_;  // the counts that begin() received
  using by_name = std::map<group_name, group_count>;
  by_name started_, synchronizing_;  // of a policy that always asks: starts that went; starts in their barrier
  bool at_line_ = false;
  std::uint64_t changes_ = 0;
  std::map<std::uint64_t, std::vector<int>> waits_;  // the program's waits; they outlast the quiesce
  wait_set told_;

 public:
  /// All state that decides what happens next, except the part. The thread that holds a collective remembers whether it
  /// may ask again.
  static constexpr std::tuple fields{&rank_host::counted_, &rank_host::started_, &rank_host::synchronizing_,
                                     &rank_host::at_line_, &rank_host::waits_,   &rank_host::told_};
  /// The policy's part, nullptr while there is no request.
  const part* state() const noexcept { return part_ ? &*part_ : nullptr; }
};

/// Which links have answered the current request, and which have sent more since.
/// INV-17 nothing of an earlier request counts in this one: messages that came over a link before its answer are
/// ignored.
class heard_links {
 public:
  void begin(std::size_t links) {
    answered_.assign(links, false);
    heard_ = answered_;
  }
  void answer(int link) { answered_[index(link)] = true; }
  bool has_answered(int link) const { return answered_[index(link)]; }
  void hear(int link) { heard_[index(link)] = true; }
  bool was_heard(int link) const { return heard_[index(link)]; }

 private:
  static std::size_t index(int link) { return static_cast<std::size_t>(link); }
  std::vector<bool> answered_, heard_;  // by link

 public:
  static constexpr std::tuple fields{&heard_links::answered_, &heard_links::heard_};
};

/// Transport: `void request(int link, request_number)`, `void send(int link, const typename P::down&)`,
/// `void line(int link)`: delivered in the order of the calls, for each link. One thread.
/// links: one for each rank if the policy does not combine
template <policy P, class Transport>
class coordinator_host {
 public:
  coordinator_host(Transport& transport, std::vector<rank_range> links)
      : to_links_{transport, *this}, links_(std::move(links)) {}
  /// Makes a link for each rank.
  coordinator_host(Transport& transport, int ranks) : to_links_{transport, *this} {
    for (int r = 0; r < ranks; ++r) links_.push_back({r, r + 1});
  }
  /// A copy with its own surroundings.
  coordinator_host(Transport& transport, const coordinator_host& from)
      : to_links_{transport, *this}, links_(from.links_) {
    copy_fields(from, *this);
    if (from.part_) copy_fields(*from.part_, make_part());
  }
  coordinator_host(const coordinator_host&) = delete;
  coordinator_host& operator=(const coordinator_host&) = delete;

  void request() {
    end();
    ++number_;
    heard_.begin(links_.size());
    make_part();
    for (std::size_t l = 0; l < links_.size(); ++l) to_links_.transport.request(static_cast<int>(l), number_);
  }
  /// The checkpoint is over or given up. The caller tells the ranks.
  void end() {
    part_.reset();
    done_ = false;
  }
  /// The line is declared, and all links know it.
  bool done() const noexcept { return done_; }

  /// out: it answers the current request
  bool answer(int link, request_number number) {
    const bool current = part_ && number == number_;
    if (current) heard_.answer(link);
    return current;
  }
  void receive(int link, const typename P::up& message) {
    if (!part_ || done_ || !heard_.has_answered(link)) return;
    heard_.hear(link);
    part_->receive(link, message);
  }
  /// All messages that had come were delivered.
  void settle() {
    if constexpr (combines<P>)
      if (part_ && !done_) part_->settle();
  }

  /// A line of text for each rank that prevents the line, empty if none does.
  std::string describe() const {
    std::string text;
    if (!part_ || done_) return text;
    for (std::size_t l = 0; l < links_.size(); ++l)
      if (!heard_.has_answered(static_cast<int>(l)))
        text += clock::describe(links_[l]) + (links_[l].size() == 1 ? " has" : " have") + " not answered the request\n";
    return text.empty() ? part_->describe() : text;
  }

 private:
  struct gate {
    Transport& transport;
    coordinator_host& host;
    void send(int link, const typename P::down& message) {
      if (host.done_) broken<P>("rule 2: a message after the line");
      if (!host.heard_.was_heard(link)) broken<P>("rule 3: a message to a rank that has not been heard");
      transport.send(link, message);
    }
    void declare_line() {
      if (host.done_) broken<P>("rule 2: a second line");
      host.done_ = true;
      for (std::size_t l = 0; l < host.links_.size(); ++l) transport.line(static_cast<int>(l));
    }
  };
  using part = typename P::template coordinator<gate>;

  part& make_part() {
    if constexpr (combines<P>) return part_.emplace(to_links_, std::span<const rank_range>(links_));
    else return part_.emplace(to_links_, static_cast<int>(links_.size()));
  }

  gate to_links_;
  std::vector<rank_range> links_;
  std::optional<part> part_;  // while a request is under way
  bool done_ = false;
  request_number number_ = 0;
  heard_links heard_;

 public:
  static constexpr std::tuple fields{&coordinator_host::done_, &coordinator_host::number_, &coordinator_host::heard_};
  /// The policy's part, nullptr while there is no request.
  const part* state() const noexcept { return part_ ? &*part_ : nullptr; }
};

/// Between the coordinator and ranks, in a process of a policy that combines. Transport: that of coordinator_host, and
/// `void answer(request_number)`, `void send_up(const typename P::up&)` towards the coordinator, in the order of the
/// calls. One thread.
template <policy P, class Transport>
  requires combines<P>
class relay_host {
 public:
  relay_host(Transport& transport, std::vector<rank_range> links)
      : around_{transport, *this}, links_(std::move(links)) {}
  /// A copy with its own surroundings.
  relay_host(Transport& transport, const relay_host& from) : around_{transport, *this}, links_(from.links_) {
    copy_fields(from, *this);
    if (from.part_) copy_fields(*from.part_, make_part());
  }
  relay_host(const relay_host&) = delete;
  relay_host& operator=(const relay_host&) = delete;

  // From above. Passes the request on to the links.
  void request(request_number number) {
    end();
    number_ = number;
    heard_.begin(links_.size());
    make_part();
    around_.transport.answer(number);
    for (std::size_t l = 0; l < links_.size(); ++l) around_.transport.request(static_cast<int>(l), number);
  }
  void line() {
    at_line_ = true;
    for (std::size_t l = 0; l < links_.size(); ++l) around_.transport.line(static_cast<int>(l));
  }
  // From above.
  void hear(const typename P::down& message) {
    if (part_ && !at_line_) part_->hear(message);
  }
  /// The checkpoint is over or given up. The caller tells the links.
  void end() {
    part_.reset();
    at_line_ = false;
  }

  /// out: it answers the current request
  bool answer(int link, request_number number) {
    const bool current = part_ && number == number_;
    if (current) heard_.answer(link);
    return current;
  }
  void receive(int link, const typename P::up& message) {
    if (!part_ || at_line_ || !heard_.has_answered(link)) return;
    heard_.hear(link);
    part_->receive(link, message);
  }
  /// All messages that had come were delivered.
  void settle() {
    if (part_ && !at_line_) part_->settle();
  }

 private:
  struct gate {
    Transport& transport;
    relay_host& host;
    void send(int link, const typename P::down& message) {
      if (!host.heard_.was_heard(link)) broken<P>("rule 3: a message over a link that has not been heard");
      transport.send(link, message);
    }
    void send_up(const typename P::up& message) { transport.send_up(message); }
  };
  using part = typename P::template relay<gate>;

  part& make_part() { return part_.emplace(around_, std::span<const rank_range>(links_)); }

  gate around_;
  std::vector<rank_range> links_;
  std::optional<part> part_;  // while a request is under way
  bool at_line_ = false;
  request_number number_ = 0;
  heard_links heard_;

 public:
  static constexpr std::tuple fields{&relay_host::at_line_, &relay_host::number_, &relay_host::heard_};
  /// The policy's part, nullptr while there is no request.
  const part* state() const noexcept { return part_ ? &*part_ : nullptr; }
};

}  // namespace mana::clock
