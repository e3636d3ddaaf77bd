// The default policy: the collective clock, completed with point-to-point needs. docs/design/clock.md has the rules and
// the proof.
#pragma once
#include <mana/clock/need_tree.hpp>
#include <mana/clock/policy.hpp>
#include <mana/clock/targets.hpp>

#include <map>
#include <utility>
#include <variant>

namespace mana::clock {

struct needs {
  static constexpr std::string_view name = "needs";
  static constexpr bool combines = true;

  using wait = dependence;
  static wait nobody(int rank) { return {rank, false, false, {}}; }

  // Up.
  struct news {
    std::uint64_t version = 0;        // of the newest orders that had come over this link
    bool quiet = false;               // with these orders no rank there has a debt
    std::vector<group_count> counts;  // counts that grew; at first all. Sent before the rank enters a collective
    std::vector<wait> waits;          // waits that have changed
    static constexpr std::tuple fields{&news::version, &news::quiet, &news::counts, &news::waits};
  };
  using up = std::variant<news>;

  // Down.
  struct orders {
    std::uint64_t version = 0;         // number of the orders on this link
    std::vector<group_count> targets;  // targets that grew, of clocks with members there
    rank_set needed, no_longer;        // ranks there that become needed, and that are no longer needed
    static constexpr std::tuple fields{&orders::version, &orders::targets, &orders::needed, &orders::no_longer};
    bool is_empty() const { return targets.empty() && needed.empty() && no_longer.empty(); }
  };
  using down = std::variant<orders>;

  class junction;
  template <class Transport>
  class rank;
  template <class Transport>
  class relay;
  template <class Transport>
  class coordinator;
};

template <class Transport>
class needs::rank {
 public:
  rank(Transport& transport, int number) : transport_(transport), declared_(nobody(number)) {}

  void begin(std::vector<group_count> counts) {
    for (const group_count& c : counts) clocks_[c.name] = {c.count, c.count};
    transport_.send(news{.version = 0, .quiet = true, .counts = std::move(counts), .waits = {}});
  }

  void waits(wait_set peers) {
    waits_ = std::move(peers);
    tell({});
  }

  void receive(const down& message) {
    const orders& o = std::get<orders>(message);
    version_ = o.version;
    for (const group_count& t : o.targets) {
      // new if this rank is still making the communicator: it owes what others have started
      clock& c = clocks_[t.name];
      c.target = std::max(c.target, t.count);
    }
    is_needed_ = (is_needed_ || o.needed.contains(declared_.rank)) && !o.no_longer.contains(declared_.rank);
    tell({});
  }

  verdict start(const collective& next) {
    clock& c = clocks_[next.name];
    if (!in_debt()) return verdict::hold;
    const bool is_first = next.count > c.target;
    c.count = std::max(c.count, next.count);
    c.target = std::max(c.target, next.count);
    if (is_first) tell({{next.name, next.count, next.members}});
    else tell({});
    return verdict::go;
  }

  /// A rank has a debt while it has not started a collective that others have, or while others wait for its message.
  bool in_debt() const noexcept { return is_needed_ || is_behind(); }

 private:
  struct clock {
    std::uint64_t count = 0, target = 0;
    static constexpr std::tuple fields{&clock::count, &clock::target};
  };

  bool is_behind() const noexcept {
    return std::any_of(clocks_.begin(), clocks_.end(), [](const auto& c) { return c.second.count < c.second.target; });
  }

  /// Sends the changes in one message: counts that nobody knows; the wait, while the rank has a debt; that the debt has
  /// ended.
  void tell(std::vector<group_count> counts) {
    news n{.version = version_, .quiet = !in_debt(), .counts = std::move(counts), .waits = {}};
    wait now = nobody(declared_.rank);
    if (!n.quiet && waits_) now = {declared_.rank, true, is_behind(), *waits_};
    if (now != declared_) n.waits.push_back(declared_ = now);
    if (n.counts.empty() && n.waits.empty() && (!n.quiet || quiet_at_ == version_)) return;
    if (n.quiet) quiet_at_ = version_;
    transport_.send(n);
  }

  Transport& transport_;
  // of the newest orders; of the orders with which it last reported that it has no debt
  std::uint64_t version_ = 0, quiet_at_ = 0;
  std::map<group_name, clock> clocks_;
  bool is_needed_ = false;
  wait_set waits_;
  wait declared_;

 public:
  static constexpr std::tuple fields{&rank::version_,   &rank::quiet_at_, &rank::clocks_,
                                     &rank::is_needed_, &rank::waits_,    &rank::declared_};
};

/// The links of a relay or of the coordinator, and the messages over them.
class needs::junction {
 public:
  explicit junction(std::span<const rank_range> links) : links_(links), targets_(links), state_(links.size()) {}
  junction(const junction&) = default;
  /// Keeps the members that are set at construction.
  junction& operator=(const junction& from) {
    copy_fields(from, *this);
    return *this;
  }

  void receive(int link, const news& n) {
    at_link& l = state_[static_cast<std::size_t>(link)];
    l.was_heard = true;
    l.is_quiet = n.quiet && n.version == l.version;
    for (const group_count& c : n.counts) targets_.hear(static_cast<std::size_t>(link), c);
  }
  /// A target from above.
  void hear(const group_count& target) { targets_.hear(targets_.above(), target); }

  /// All links were heard. Before that nobody knows all counts, and a rank that knows some could think that it has no
  /// debt.
  bool is_complete() const {
    return std::all_of(state_.begin(), state_.end(), [](const at_link& l) { return l.was_heard; });
  }
  /// All messages over all links were answered, and nobody has a debt.
  bool is_quiet() const {
    return std::all_of(state_.begin(), state_.end(), [](const at_link& l) { return l.is_quiet; });
  }

  /// Sends to each link what it does not know.    out: counts that the level above does not know
  template <class Transport>
  std::vector<group_count> tell(Transport& transport, const rank_set& needed, const rank_set& no_longer) {
    std::vector<orders> all(links_.size());
    std::vector<group_count> upwards;
    targets_.tell([&](std::size_t neighbour, group_count target) {
      (neighbour == targets_.above() ? upwards : all[neighbour].targets).push_back(std::move(target));
    });
    for (std::size_t l = 0; l < links_.size(); ++l) {
      all[l].needed = needed.in(links_[l]);
      all[l].no_longer = no_longer.in(links_[l]);
      if (all[l].is_empty()) continue;
      all[l].version = ++state_[l].version;
      state_[l].is_quiet = false;
      transport.send(static_cast<int>(l), all[l]);
    }
    return upwards;
  }

  template <class Body>
  void for_each_restless(Body&& body) const {
    for (std::size_t l = 0; l < links_.size(); ++l)
      if (!state_[l].is_quiet) body(links_[l]);
  }

 private:
  struct at_link {
    std::uint64_t version = 0;  // orders that were sent
    bool was_heard = false;
    bool is_quiet = false;      // with all of these orders
    static constexpr std::tuple fields{&at_link::version, &at_link::was_heard, &at_link::is_quiet};
  };

  std::span<const rank_range> links_;
  target_table targets_;
  std::vector<at_link> state_;  // by link

 public:
  static constexpr std::tuple fields{&junction::targets_, &junction::state_};
};

/// A relay acts as the coordinator towards the ranks below it, and as a rank towards the level above. It is quiet when
/// all ranks below it are.
template <class Transport>
class needs::relay {
 public:
  relay(Transport& transport, std::span<const rank_range> links)
      : transport_(transport), links_(links), waits_({links.front().first, links.back().end}) {}

  void receive(int link, const up& message) {
    const news& n = std::get<news>(message);
    links_.receive(link, n);
    for (const wait& w : n.waits) waits_.hear(w);
  }
  void hear(const down& message) {
    const orders& o = std::get<orders>(message);
    version_ = o.version;
    for (const group_count& t : o.targets) links_.hear(t);
    waits_.hear(o.needed, o.no_longer);
  }
  void settle() {
    if (!links_.is_complete()) return;
    need_tree::changes c = waits_.follow();
    news n{.version = version_,
           .quiet = false,
           .counts = links_.tell(transport_, c.needed, c.no_longer),
           .waits = std::move(c.upwards)};
    n.quiet = links_.is_quiet();
    const bool is_first = !std::exchange(has_spoken_, true);
    if (!is_first && n.counts.empty() && n.waits.empty() && (!n.quiet || quiet_at_ == version_)) return;
    if (n.quiet) quiet_at_ = version_;
    transport_.send_up(n);
  }

 private:
  static constexpr std::uint64_t never = ~std::uint64_t{0};

  Transport& transport_;
  junction links_;
  std::uint64_t version_ = 0, quiet_at_ = never;  // as in a rank
  bool has_spoken_ = false;
  need_tree waits_;

 public:
  static constexpr std::tuple fields{&relay::links_, &relay::version_, &relay::quiet_at_, &relay::has_spoken_,
                                     &relay::waits_};
};

/// INV-16 when the line is declared, every clock's count is the same on all of its members. With all orders that were
/// sent, nobody has a debt. So nobody starts anything until new orders come. All earlier starts were reported earlier,
/// so the orders contain them. This holds below each quiet relay, and so for all ranks.
template <class Transport>
class needs::coordinator {
 public:
  coordinator(Transport& transport, std::span<const rank_range> links)
      : transport_(transport), links_(links), waits_({0, links.back().end}) {}

  void receive(int link, const up& message) {
    const news& n = std::get<news>(message);
    links_.receive(link, n);
    for (const wait& w : n.waits) waits_.hear(w);
  }

  void settle() {
    if (!links_.is_complete()) return;
    const need_tree::changes c = waits_.follow();
    links_.tell(transport_, c.needed, c.no_longer);
    if (links_.is_quiet()) transport_.declare_line();
  }

  std::string describe() const {
    std::string text;
    links_.for_each_restless([&](rank_range ranks) {
      std::string waits;
      waits_.for_each_wait(ranks, [&](const wait& w) { waits += text_of(ranks, w); });
      if (waits.empty()) waits = clock::describe(ranks) + ": a collective that others have started has yet to start\n";
      text += waits;
    });
    return text;
  }

 private:
  std::string text_of(rank_range link, const wait& w) const {
    constexpr std::size_t most_named = 16;
    std::string text = w.rank < 0 ? clock::describe(link) + ": some" : clock::describe({w.rank, w.rank + 1});
    if (w.is_behind) text += ", behind what others have started";
    if (waits_.is_needed(w.rank)) text += ", waited for";
    text += ", wait for a message of";
    for (std::size_t i = 0; i < w.peers.size() && i < most_named; ++i) text.append(" ").append(std::to_string(w.peers[i]));
    if (w.peers.size() > most_named) text += " and others";
    return text + (w.peers.empty() ? " any rank\n" : "\n");
  }

  Transport& transport_;
  junction links_;
  need_tree waits_;

 public:
  static constexpr std::tuple fields{&coordinator::links_, &coordinator::waits_};
};

}  // namespace mana::clock
