// The two-phase commit of the first MANA (Garg, Price and Cooperman, HPDC 2019). It has a trivial barrier of the
// members before every blocking collective, in which a rank can be stopped. After a request the coordinator questions
// the ranks in rounds. Non-blocking collectives are refused, as published.
//
// Phase 1 is the trivial barrier, phase 2 the collective. When a barrier is over, all members have reached it. So all
// will start the collective, and end it without help from others. While the barrier is not over, nobody is in the
// collective. So after a request ranks begin no barrier. The line is a state in which each barrier that is over belongs
// to a collective that was started.
// In the publication a rank in phase 2 answers a round when it has left the phase. Here it answers at once, with its
// counts. It reports a start after its answer, and then the coordinator repeats the round.
//
// The cost is the barrier in each collective, even without a request. The policy also adds a deadlock that the program
// does not have: a broadcast's root does not wait for the others natively, but waits in the barrier.
//
//   P1: Bcast(A), as root; Send(P2)     P2: Recv(P1); Bcast(A)
#pragma once
#include <mana/clock/policy.hpp>

#include <algorithm>
#include <map>
#include <variant>

namespace mana::clock {

struct two_phase_commit {
  static constexpr std::string_view name = "two_phase_commit";
  static constexpr bool always_asks = true;

  // Up.
  struct state {  // the answer to a round; to round 1, the request, sent without a question
    std::uint64_t round = 0;
    std::vector<group_count> counts;    // collectives that the rank has started, by clock
    std::vector<group_count> barriers;  // those before which the rank is in the trivial barrier
    static constexpr std::tuple fields{&state::round, &state::counts, &state::barriers};
  };
  struct moved {  // the rank starts a collective after its answer
    static constexpr std::tuple<> fields{};
  };
  using up = std::variant<state, moved>;

  // Down.
  struct again {
    std::uint64_t round = 0;
    static constexpr std::tuple fields{&again::round};
  };
  using down = std::variant<again>;

  template <class Transport>
  class rank;
  template <class Transport>
  class coordinator;
};

template <class Transport>
class two_phase_commit::rank {
 public:
  rank(Transport& transport, int) : transport_(transport) {}

  void begin(std::vector<group_count> counts, std::vector<group_count> barriers) {
    for (group_count& c : counts) counts_[c.name] = std::move(c);
    for (group_count& c : barriers) barriers_[c.name] = std::move(c);
    answer(1);
  }
  void waits(const wait_set&) {}

  void receive(const down& message) { answer(std::get<again>(message).round); }

  verdict start(const collective& next) {
    if (!next.synchronized) return verdict::hold;
    counts_[next.name] = {next.name, next.count, next.members};
    barriers_.erase(next.name);
    transport_.send(moved{});
    return verdict::go;
  }

 private:
  void answer(std::uint64_t round) {
    state s{round, {}, {}};
    for (const auto& [name, c] : counts_) s.counts.push_back(c);
    for (const auto& [name, c] : barriers_) s.barriers.push_back(c);
    transport_.send(s);
  }

  Transport& transport_;
  std::map<group_name, group_count> counts_, barriers_;

 public:
  static constexpr std::tuple fields{&rank::counts_, &rank::barriers_};
};

template <class Transport>
class two_phase_commit::coordinator {
 public:
  coordinator(Transport& transport, int ranks) : transport_(transport), states_(index(ranks)) {}

  void receive(int rank, const up& message) {
    if (const auto* s = std::get_if<state>(&message)) {
      states_[index(rank)] = *s;
      ++answers_;
    } else {
      moved_ = true;
    }
    decide();
  }

  std::string describe() const {
    std::string text;
    for (std::size_t r = 0; r < states_.size(); ++r)
      if (states_[r].round != round_) text += "rank " + std::to_string(r) + " has not answered the round\n";
    if (text.empty()) text = "a collective whose members are all in its barrier was not started by all\n";
    return text;
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  void decide() {
    if (answers_ < states_.size()) return;
    if (is_line()) return transport_.declare_line();
    if (!moved_) return;
    moved_ = false;
    answers_ = 0;
    ++round_;
    for (std::size_t r = 0; r < states_.size(); ++r) transport_.send(static_cast<int>(r), again{round_});
  }

  /// INV-22: nobody is in phase 2 or about to enter it. On each clock all members have started equally many, and not
  /// all are in the next barrier.
  bool is_line() const {
    struct clock {
      std::uint64_t started = 0;     // by all members together
      std::size_t synchronizing = 0, members = 0;
      std::uint64_t most = 0;
    };
    std::map<group_name, clock> clocks;
    for (const state& s : states_) {
      for (const group_count& c : s.counts) {
        clock& k = clocks[c.name];
        k.started += c.count;
        k.members = c.members.size();
        k.most = std::max(k.most, c.count);
      }
      for (const group_count& c : s.barriers) {
        clock& k = clocks[c.name];
        ++k.synchronizing;
        k.members = c.members.size();
      }
    }
    return std::all_of(clocks.begin(), clocks.end(), [](const auto& named) {
      const clock& k = named.second;
      return k.started == k.most * k.members && k.synchronizing < k.members;
    });
  }

  Transport& transport_;
  std::vector<state> states_;  // by rank: its last answer
  std::size_t answers_ = 0;    // to this round
  std::uint64_t round_ = 1;
  bool moved_ = false;         // a rank has started a collective since this round began

 public:
  static constexpr std::tuple fields{&coordinator::states_, &coordinator::answers_, &coordinator::round_,
                                     &coordinator::moved_};
};

}  // namespace mana::clock
