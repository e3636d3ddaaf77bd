// The collective clock, completed with point-to-point needs: the default. Rules and why they hold:
// docs/design/clock.md.
#pragma once
#include <mana/clock/ledger.hpp>
#include <mana/clock/policy.hpp>
#include <mana/clock/wait_graph.hpp>

#include <map>
#include <variant>

namespace mana::clock {

struct needs {
  static constexpr std::string_view name = "needs";

  // Up.
  struct snapshot {  // the first
    std::vector<group_count> counts;
    static constexpr std::tuple fields{&snapshot::counts};
  };
  struct raise {  // sent before the rank enters a collective: its count with it
    group_count target;
    static constexpr std::tuple fields{&raise::target};
  };
  struct need {  // world ranks on whose action this rank waits; empty: anyone's
    std::vector<int> peers;
    static constexpr std::tuple fields{&need::peers};
  };
  struct need_end {
    static constexpr std::tuple<> fields{};
  };
  struct report {  // no debt at this version
    std::uint64_t version = 0;
    static constexpr std::tuple fields{&report::version};
  };
  using up = std::variant<snapshot, raise, need, need_end, report>;

  // Down.
  struct state {
    std::uint64_t version = 0;
    std::vector<group_count> targets;  // changed targets of clocks that this rank is a member of
    std::vector<int> needed_by;        // all ranks that need this one
    static constexpr std::tuple fields{&state::version, &state::targets, &state::needed_by};
  };
  using down = std::variant<state>;

  template <class Transport>
  class rank;
  template <class Transport>
  class coordinator;
};

template <class Transport>
class needs::rank {
 public:
  rank(Transport& transport, int) : transport_(transport) {}

  void begin(std::vector<group_count> counts) {
    for (const group_count& c : counts) clocks_[c.name] = {c.count, c.count};
    transport_.send(snapshot{std::move(counts)});
  }

  void waits(wait_set peers) {
    waits_ = std::move(peers);
    tell();
  }

  void receive(const down& message) {
    const state& s = std::get<state>(message);
    version_ = s.version;
    for (const group_count& t : s.targets) {
      clock& c = clocks_[t.name];  // of a communicator that this rank is still making: it owes what others started
      c.target = std::max(c.target, t.count);
    }
    needed_by_ = s.needed_by;
    tell();
  }

  verdict start(const collective& next) {
    clock& c = clocks_[next.name];
    if (!in_debt()) return verdict::hold;
    c.count = std::max(c.count, next.count);
    c.target = std::max(c.target, next.count);
    transport_.send(raise{{next.name, next.count, {next.members.begin(), next.members.end()}}});
    tell();
    return verdict::go;
  }

  /// A rank has a debt while others have started a collective that it has not, or wait for a message by it.
  bool in_debt() const noexcept {
    if (!needed_by_.empty()) return true;
    return std::any_of(clocks_.begin(), clocks_.end(), [](const auto& c) { return c.second.count < c.second.target; });
  }

 private:
  struct clock {
    std::uint64_t count = 0, target = 0;
    static constexpr std::tuple fields{&clock::count, &clock::target};
  };

  /// Sends what has changed for the coordinator: a need while the rank has a debt and waits; its end at once when
  /// either ends; the version seen when there is neither debt nor need. In this order.
  void tell() {
    if (version_ == 0) return;
    const bool debt = in_debt();
    if (debt && waits_) {
      if (declared_ != waits_) {
        declared_ = waits_;
        transport_.send(need{*waits_});
      }
    } else if (declared_) {
      declared_.reset();
      transport_.send(need_end{});
    }
    if (!debt && reported_ != version_) {
      reported_ = version_;
      transport_.send(report{version_});
    }
  }

  Transport& transport_;
  std::uint64_t version_ = 0, reported_ = 0;
  std::map<group_name, clock> clocks_;
  std::vector<int> needed_by_;
  wait_set waits_, declared_;

 public:
  static constexpr std::tuple fields{&rank::version_,   &rank::reported_, &rank::clocks_,
                                     &rank::needed_by_, &rank::waits_,    &rank::declared_};
};

/// INV-16 when the line is declared, every clock's count is the same on all of its members. Each rank has reported the
/// current version, so it had no debt at the current targets; what it had started before, it had raised before, so
/// that is in the targets; and it starts nothing after, since only a newer version can give it a debt.
template <class Transport>
class needs::coordinator {
 public:
  coordinator(Transport& transport, int ranks)
      : transport_(transport),
        ranks_(ranks),
        ledger_(ranks),
        needed_by_(index(ranks)),
        answered_(index(ranks)),
        reported_(index(ranks)) {}

  void receive(int rank, const up& message) {
    std::visit([&](const auto& m) { on(rank, m); }, message);
  }

  std::string describe() const {
    std::string text;
    for (int r = 0; r < ranks_; ++r)
      if (version_ != 0 && reported_[index(r)] != version_) text += "rank " + std::to_string(r) + why_behind(r) + "\n";
    return text;
  }

 private:
  using entry = std::pair<const group_name, ledger::entry>;

  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

  void on(int rank, const snapshot& s) {
    for (const group_count& c : s.counts) ledger_.count(rank, c);
    answered_[index(rank)] = true;
    if (std::find(answered_.begin(), answered_.end(), false) != answered_.end()) return;
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
    if (m.version != version_ || reported_[index(rank)] == version_) return;
    reported_[index(rank)] = version_;
    if (++up_to_date_ == ranks_) transport_.declare_line();
  }

  wait_graph::lists needed_by_now() const {
    return waits_.needed_by(ranks_, [this](int r) { return ledger_.is_behind(r); });
  }

  /// What a rank could see is a new version.
  void changed(const std::vector<const entry*>& raised) {
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

  Transport& transport_;
  const int ranks_;
  std::uint64_t version_ = 0;  // 0: not all snapshots are here; who knew a part would report too early
  int up_to_date_ = 0;         // ranks that have reported version_
  ledger ledger_;
  wait_graph waits_;
  wait_graph::lists needed_by_;          // by rank, as of version_
  std::vector<bool> answered_;           // by rank
  std::vector<std::uint64_t> reported_;  // by rank: version

 public:
  static constexpr std::tuple fields{&coordinator::version_, &coordinator::up_to_date_, &coordinator::ledger_,
                                     &coordinator::waits_,   &coordinator::needed_by_,  &coordinator::answered_,
                                     &coordinator::reported_};
};

}  // namespace mana::clock
