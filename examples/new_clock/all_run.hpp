// A clock policy in one file: README.md tells how to check it, run it, and measure it. The contract is in
// include/mana/clock/policy.hpp.
//
// The idea: the collective clock holds collectives of ranks that owe nothing, and so may hold one for whose message a
// rank waits that does owe something. So nobody is held while such a rank waits, for whomever.
#pragma once
#include <mana/clock/ledger.hpp>
#include <mana/clock/policy.hpp>

#include <map>
#include <variant>

namespace mana::clock {

struct all_run {
  static constexpr std::string_view name = "all_run";

  // Messages to the coordinator: any copyable struct whose members are listed in `fields`.
  struct snapshot {
    std::vector<group_count> counts;
    static constexpr std::tuple fields{&snapshot::counts};
  };
  struct raise {  // before the rank enters a collective
    group_count count;
    static constexpr std::tuple fields{&raise::count};
  };
  struct waits {  // does a thread of the rank wait for a message?
    bool waiting = false;
    static constexpr std::tuple fields{&waits::waiting};
  };
  struct report {  // the rank owes nothing, as of this version
    std::uint64_t version = 0;
    static constexpr std::tuple fields{&report::version};
  };
  using up = std::variant<snapshot, raise, waits, report>;

  // Messages to a rank.
  struct state {
    std::uint64_t version = 0;
    bool all_run = false;
    std::vector<group_count> targets;
    static constexpr std::tuple fields{&state::version, &state::all_run, &state::targets};
  };
  using down = std::variant<state>;

  template <class Transport>
  class rank;
  template <class Transport>
  class coordinator;
};

// In each rank, from the request until the checkpoint is over.
template <class Transport>
class all_run::rank {
 public:
  rank(Transport& transport, int) : transport_(transport) {}

  void begin(std::vector<group_count> counts) {
    for (const group_count& c : counts) clocks_[c.name] = {c.count, c.count};
    transport_.send(snapshot{std::move(counts)});
  }

  void waits(const wait_set& peers) {
    if (peers.has_value() == waiting_) return;
    waiting_ = peers.has_value();
    transport_.send(typename all_run::waits{waiting_});
  }

  void receive(const down& message) {
    const state& s = std::get<state>(message);
    version_ = s.version;
    all_run_ = s.all_run;
    for (const group_count& t : s.targets) {
      clock& c = clocks_[t.name];
      c.target = std::max(c.target, t.count);
    }
    report_if_clear();
  }

  verdict start(const collective& next) {
    if (is_clear()) return verdict::hold;
    clock& c = clocks_[next.name];
    c.count = std::max(c.count, next.count);
    c.target = std::max(c.target, next.count);
    transport_.send(raise{{next.name, next.count, next.members}});
    report_if_clear();
    return verdict::go;
  }

 private:
  struct clock {
    std::uint64_t count = 0, target = 0;
    static constexpr std::tuple fields{&clock::count, &clock::target};
  };

  bool is_clear() const {
    return !all_run_ &&
           std::all_of(clocks_.begin(), clocks_.end(), [](const auto& c) { return c.second.count >= c.second.target; });
  }
  void report_if_clear() {
    if (version_ == reported_ || !is_clear()) return;
    reported_ = version_;
    transport_.send(report{version_});
  }

  Transport& transport_;
  std::map<group_name, clock> clocks_;
  std::uint64_t version_ = 0, reported_ = 0;
  bool all_run_ = false, waiting_ = false;

 public:
  // All state but the transport: the checker copies and compares parts by it.
  static constexpr std::tuple fields{&rank::clocks_,   &rank::version_, &rank::reported_,
                                     &rank::all_run_, &rank::waiting_};
};

// In rank 0's process, for one request.
template <class Transport>
class all_run::coordinator {
 public:
  coordinator(Transport& transport, int ranks)
      : transport_(transport), ranks_(ranks), ledger_(ranks), waiting_(index(ranks)), answered_(index(ranks)),
        reported_(index(ranks)) {}

  void receive(int rank, const up& message) {
    std::visit([&](const auto& m) { on(rank, m); }, message);
  }

  std::string describe() const {
    std::string text;
    for (int r = 0; r < ranks_; ++r)
      if (reported_[index(r)] != version_)
        text += "rank " + std::to_string(r) + (ledger_.is_behind(r) ? " must start what others have\n"
                                                                   : " has not answered the last change\n");
    return text;
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  void on(int rank, const snapshot& s) {
    for (const group_count& c : s.counts) ledger_.count(rank, c);
    answered_[index(rank)] = true;
    if (all_answered()) next_version();
  }
  void on(int rank, const raise& m) {
    if (ledger_.count(rank, m.count) || must_all_run() != all_run_) next_version();
  }
  void on(int rank, const typename all_run::waits& m) {
    waiting_[index(rank)] = m.waiting;
    if (all_answered() && must_all_run() != all_run_) next_version();
  }
  void on(int rank, const report& m) {
    if (m.version != version_) return;
    reported_[index(rank)] = version_;
    if (std::count(reported_.begin(), reported_.end(), version_) == ranks_) transport_.declare_line();
  }

  bool all_answered() const { return std::find(answered_.begin(), answered_.end(), false) == answered_.end(); }

  bool must_all_run() const {
    for (int r = 0; r < ranks_; ++r)
      if (waiting_[index(r)] && ledger_.is_behind(r)) return true;
    return false;
  }

  /// All targets to all their members, each time: simple, and more than is needed.
  void next_version() {
    ++version_;
    all_run_ = must_all_run();
    for (int r = 0; r < ranks_; ++r) {
      state s{version_, all_run_, {}};
      for (const auto& [name, e] : ledger_.entries())
        if (e.members.contains(r)) s.targets.push_back({name, e.target, {}});
      transport_.send(r, s);
    }
  }

  Transport& transport_;
  const int ranks_;
  std::uint64_t version_ = 0;
  bool all_run_ = false;
  ledger ledger_;
  std::vector<bool> waiting_, answered_;  // by rank
  std::vector<std::uint64_t> reported_;   // by rank

 public:
  static constexpr std::tuple fields{&coordinator::version_, &coordinator::all_run_,  &coordinator::ledger_,
                                     &coordinator::waiting_, &coordinator::answered_, &coordinator::reported_};
};

}  // namespace mana::clock
