// Gates. A collective that nobody has started when a request comes starts only with the coordinator's permission.
// hybrid_two_phase and needs_gated share this code, and differ in the gates that they open.
#pragma once
#include <mana/clock/ledger.hpp>
#include <mana/clock/policy.hpp>
#include <mana/clock/wait_graph.hpp>

#include <map>
#include <variant>

namespace mana::clock {

/// A rank is held before a collective that, as far as the rank knows, nobody has started.
struct arrival {
  group_count next;            // the collective
  bool waits_for_all = false;  // see clock::collective
  static constexpr std::tuple fields{&arrival::next, &arrival::waits_for_all};
};

/// A collective that some members have reached. It is complete when all members have.
class gate {
 public:
  struct member {
    bool came = false, waits_for_all = false;
    static constexpr std::tuple fields{&member::came, &member::waits_for_all};
  };

  gate() = default;
  gate(std::uint64_t number, group_count next) : number_(number), next_(std::move(next)), came_(next_.members.size()) {}

  void came(int rank, bool waits_for_all) {
    const std::size_t mine = next_.members.place(rank);
    if (mine != came_.size()) came_[mine] = {true, waits_for_all};
  }
  bool is_complete() const {
    return std::all_of(came_.begin(), came_.end(), [](const member& m) { return m.came; });
  }
  /// Gates are numbered in the order in which their first member comes.
  std::uint64_t number() const noexcept { return number_; }
  const group_count& next() const noexcept { return next_; }

  /// Calls body(rank) for each member for which is(member) is true.
  template <class Is, class Body>
  void for_each(Is&& is, Body&& body) const {
    std::size_t m = 0;
    for (const int rank : next_.members)
      if (is(came_[m++])) body(rank);
  }
  static bool is_missing(const member& m) { return !m.came; }
  static bool has_come(const member& m) { return m.came; }
  /// The program may depend on this member's start before the others come.
  static bool may_leave(const member& m) { return m.came && !m.waits_for_all; }
  static bool is_sure_to_wait(const member& m) { return m.came && m.waits_for_all; }

 private:
  std::uint64_t number_ = 0;
  group_count next_;
  std::vector<member> came_;  // by member

 public:
  static constexpr std::tuple fields{&gate::number_, &gate::next_, &gate::came_};
};

/// State of a coordinator of gates, as its ranks have reported it.
struct gated_state {
  int ranks = 0;
  ledger started;
  wait_graph waits;
  std::map<group_name, gate> gates;  // one for each clock: a rank reaches only the next collective

  explicit gated_state(int n) : ranks(n), started(n) {}

  /// Calls body(peer) for each rank on which `rank` waits, for its message or at a gate.
  template <class Body>
  void for_each_peer(int rank, Body&& body) const {
    waits.for_each_peer(rank, ranks, body);
    for (const auto& [name, g] : gates) {
      bool waits_here = false;
      g.for_each(gate::is_sure_to_wait, [&](int r) { waits_here |= r == rank; });
      if (waits_here) g.for_each(gate::is_missing, body);
    }
  }

  static constexpr std::tuple fields{&gated_state::started, &gated_state::waits, &gated_state::gates};
};

/// P: the policy; P::opened(const gated_state&): names of the clocks whose gates open now. It is called after each
/// change while ranks are behind. P must open a gate if ranks are behind and nothing moves.
template <class P>
struct gated {
  // Up.
  struct snapshot {  // the first
    std::vector<group_count> counts;
    static constexpr std::tuple fields{&snapshot::counts};
  };
  struct started {  // the rank starts a collective that was allowed
    group_count count;
    static constexpr std::tuple fields{&started::count};
  };
  struct waits {  // for messages of these world ranks; empty: of anyone
    std::vector<int> peers;
    static constexpr std::tuple fields{&waits::peers};
  };
  struct waits_end {
    static constexpr std::tuple<> fields{};
  };
  using up = std::variant<snapshot, started, arrival, waits, waits_end>;

  // Down.
  struct targets {  // how many may be started, on clocks of which the rank is a member
    std::vector<group_count> changed;
    static constexpr std::tuple fields{&targets::changed};
  };
  using down = std::variant<targets>;

  template <class Transport>
  class rank;
  template <class Transport>
  class coordinator;
};

template <class P>
template <class Transport>
class gated<P>::rank {
 public:
  rank(Transport& transport, int) : transport_(transport) {}

  void begin(std::vector<group_count> counts) {
    for (const group_count& c : counts) targets_[c.name] = c.count;
    transport_.send(snapshot{std::move(counts)});
  }
  void waits(const wait_set& peers) {
    if (peers) transport_.send(typename gated::waits{*peers});
    else if (has_waited_) transport_.send(waits_end{});
    has_waited_ = peers.has_value();
  }
  void receive(const down& message) {
    knows_targets_ = true;
    for (const group_count& t : std::get<targets>(message).changed) {
      std::uint64_t& target = targets_[t.name];
      target = std::max(target, t.count);
    }
  }
  verdict start(const collective& next) {
    if (!knows_targets_) return verdict::hold;
    const group_count counted{next.name, next.count, next.members};
    if (next.count <= targets_[next.name]) {
      transport_.send(started{counted});
      return verdict::go;
    }
    std::uint64_t& at = came_to_[next.name];
    if (at < next.count) {
      at = next.count;
      transport_.send(arrival{counted, next.blocking && next.waits_for_all});
    }
    return verdict::hold;
  }

 private:
  Transport& transport_;
  std::map<group_name, std::uint64_t> targets_, came_to_;
  bool knows_targets_ = false, has_waited_ = false;

 public:
  static constexpr std::tuple fields{&rank::targets_, &rank::came_to_, &rank::knows_targets_, &rank::has_waited_};
};

/// INV-16: holds here because a rank starts only collectives that the coordinator has allowed. Each rank starts up to
/// the targets that it knows. When all ranks have reported that they reached them, no collective is about to start.
template <class P>
template <class Transport>
class gated<P>::coordinator {
 public:
  coordinator(Transport& transport, int ranks) : transport_(transport), heard_(ranks), answered_(index(ranks)) {}

  void receive(int rank, const up& message) {
    std::visit([&](const auto& m) { on(rank, m); }, message);
    if (unanswered() == 0) decide();
  }

  std::string describe() const {
    std::string text;
    for (int r = 0; r < heard_.ranks; ++r) {
      std::string why;
      if (heard_.started.is_behind(r)) why += ", must start a collective that others have started";
      if (const auto* peers = heard_.waits.wait_of(r); peers != nullptr) {
        why += ", waits for a message of";
        for (const int peer : *peers) why += " " + std::to_string(peer);
        if (peers->empty()) why += " any rank";
      }
      for (const auto& named : heard_.gates)
        named.second.for_each(gate::has_come, [&](int m) {
          const std::size_t members = named.second.next().members.size();
          if (m == r) why += ", is held before a collective of " + std::to_string(members) + " ranks";
        });
      if (heard_.started.is_behind(r)) text += "rank " + std::to_string(r) + why + "\n";
    }
    return text;
  }

 private:
  static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }
  std::ptrdiff_t unanswered() const { return std::count(answered_.begin(), answered_.end(), false); }

  void on(int rank, const snapshot& s) {
    for (const group_count& c : s.counts) heard_.started.count(rank, c);
    answered_[index(rank)] = true;
    if (unanswered() != 0) return;
    std::vector<targets> first(answered_.size());
    for (const auto& [name, e] : heard_.started.entries())
      for (const int r : e.members) first[index(r)].changed.push_back({name, e.target, {}});
    for (int r = 0; r < heard_.ranks; ++r) transport_.send(r, first[index(r)]);
  }
  void on(int rank, const started& m) { heard_.started.count(rank, m.count); }
  void on(int rank, const typename gated::waits& m) { heard_.waits.begin(rank, m.peers); }
  void on(int rank, const waits_end&) { heard_.waits.end(rank); }
  void on(int rank, const arrival& m) {
    // If the gate was opened meanwhile, the rank learns it before it can ask again.
    if (m.next.count <= heard_.started.target(m.next.name)) return;
    const auto at = heard_.gates.try_emplace(m.next.name, next_number_, m.next);
    if (at.second) ++next_number_;
    at.first->second.came(rank, m.waits_for_all);
  }

  void decide() {
    if (!heard_.started.is_anyone_behind()) return transport_.declare_line();
    for (const group_name& name : P::opened(heard_)) {
      const auto at = heard_.gates.find(name);
      const group_count next = at->second.next();
      heard_.gates.erase(at);
      heard_.started.allow(next);
      for (const int r : next.members) transport_.send(r, targets{{{next.name, next.count, {}}}});
    }
  }

  Transport& transport_;
  gated_state heard_;
  std::vector<bool> answered_;  // by rank
  std::uint64_t next_number_ = 1;

 public:
  static constexpr std::tuple fields{&coordinator::heard_, &coordinator::answered_, &coordinator::next_number_};
};

}  // namespace mana::clock
