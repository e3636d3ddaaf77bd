// The collective clock as published (Xu and Cooperman, Cluster 2024): sequence numbers, targets, target updates;
// blocking and non-blocking collectives. In the publication, members send updates to each other, and each rank counts
// what it has sent and received. Here the coordinator passes updates on, and counts what it has passed on.
//
// This policy considers collectives only, and can deadlock. Suppose that a request comes while P3 is in Barrier(B) and
// nobody is in Barrier(A):
//
//   P1: Barrier(A); Send(P2)     P2: Recv(P1); Barrier(B)     P3: Barrier(B)     P4: Barrier(A)
//
// P2 must start Barrier(B), and waits for P1, which is held before Barrier(A). The policy needs.hpp has no such
// deadlock.
#pragma once
#include <mana/clock/policy.hpp>

#include <algorithm>
#include <map>
#include <variant>

namespace mana::clock {

struct collective_clock {
  static constexpr std::string_view name = "collective_clock";

  // Up.
  struct snapshot {  // the first message: SEQ of each clock
    std::vector<group_count> counts;
    static constexpr std::tuple fields{&snapshot::counts};
  };
  struct raise {  // the rank is about to start more than any other rank
    group_count target;
    static constexpr std::tuple fields{&raise::target};
  };
  struct reached {  // SEQ is TARGET on each clock; the rank had received this number of messages from the coordinator
    std::uint64_t received = 0;
    static constexpr std::tuple fields{&reached::received};
  };
  using up = std::variant<snapshot, raise, reached>;

  // Down.
  struct targets {  // of clocks that the rank is a member of
    std::vector<group_count> changed;
    static constexpr std::tuple fields{&targets::changed};
  };
  using down = std::variant<targets>;

  template <class Transport>
  class rank;
  template <class Transport>
  class coordinator;
};

template <class Transport>
class collective_clock::rank {
 public:
  rank(Transport& transport, int) : transport_(transport) {}

  void begin(std::vector<group_count> counts) {
    for (const group_count& c : counts) clocks_[c.name] = {c.count, c.count};
    transport_.send(snapshot{std::move(counts)});
  }

  void waits(const wait_set&) {}

  void receive(const down& message) {
    ++received_;
    for (const group_count& t : std::get<targets>(message).changed) {
      clock& c = clocks_[t.name];
      c.target = std::max(c.target, t.count);
    }
    tell_if_reached();
  }

  verdict start(const collective& next) {
    clock& c = clocks_[next.name];
    if (is_reached()) return verdict::hold;
    c.count = std::max(c.count, next.count);
    if (c.count > c.target) {
      c.target = c.count;
      transport_.send(raise{{next.name, next.count, next.members}});
    }
    tell_if_reached();
    return verdict::go;
  }

 private:
  struct clock {
    std::uint64_t count = 0, target = 0;
    static constexpr std::tuple fields{&clock::count, &clock::target};
  };

  bool is_reached() const {
    return std::all_of(clocks_.begin(), clocks_.end(), [](const auto& c) { return c.second.count == c.second.target; });
  }
  void tell_if_reached() {
    if (received_ == told_ || !is_reached()) return;
    told_ = received_;
    transport_.send(reached{received_});
  }

  Transport& transport_;
  std::map<group_name, clock> clocks_;
  std::uint64_t received_ = 0, told_ = 0;

 public:
  static constexpr std::tuple fields{&rank::clocks_, &rank::received_, &rank::told_};
};

template <class Transport>
class collective_clock::coordinator {
 public:
  coordinator(Transport& transport, int ranks)
      : transport_(transport), ranks_(ranks), sent_(index(ranks)), reached_(index(ranks)) {}

  void receive(int rank, const up& message) {
    std::visit([&](const auto& m) { on(rank, m); }, message);
  }

  std::string describe() const {
    std::string text;
    for (int r = 0; r < ranks_; ++r)
      if (reached_[index(r)] != sent_[index(r)]) text += "rank " + std::to_string(r) + " has not reached its targets\n";
    return text;
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  void on(int, const snapshot& s) {
    for (const group_count& c : s.counts) {
      group_count& known = targets_[c.name];
      if (known.members.empty()) known = c;
      known.count = std::max(known.count, c.count);
    }
    if (++answered_ < ranks_) return;
    std::vector<targets> first(index(ranks_));
    for (const auto& [name, target] : targets_)
      for (const int r : target.members) first[index(r)].changed.push_back({name, target.count, {}});
    for (int r = 0; r < ranks_; ++r) send(r, first[index(r)]);
  }
  void on(int rank, const raise& m) {
    group_count& known = targets_[m.target.name];
    if (known.members.empty()) known = m.target;
    else if (m.target.count <= known.count) return;
    known.count = m.target.count;
    for (const int r : known.members)
      if (r != rank) send(r, {{{known.name, known.count, {}}}});
  }
  void on(int rank, const reached& m) {
    reached_[index(rank)] = m.received;
    if (reached_ == sent_) transport_.declare_line();
  }

  void send(int rank, const targets& m) {
    ++sent_[index(rank)];
    transport_.send(rank, m);
  }

  Transport& transport_;
  const int ranks_;
  int answered_ = 0;
  std::map<group_name, group_count> targets_;
  // by rank: messages sent; how many of them the rank had received when it reached its targets
  std::vector<std::uint64_t> sent_, reached_;

 public:
  static constexpr std::tuple fields{&coordinator::answered_, &coordinator::targets_, &coordinator::sent_,
                                     &coordinator::reached_};
};

}  // namespace mana::clock
