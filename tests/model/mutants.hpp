// The policy `needs` with one thing changed: filters between its parts and their hosts. What cannot be changed there,
// what the callers of the hosts do, is changed in the world (caller_faults).
#pragma once
#include <mana/clock/needs.hpp>

#include <cstdint>
#include <utility>

namespace clock_model {

namespace clock = mana::clock;

enum class change : std::uint8_t {
  none,
  // in ranks: what they say
  raise_lost, raise_late, wait_lost, wait_end_lost, wildcard_lost, wildcard_of_one, needed_pass_nothing_on,
  behind_untold, always_told_behind, quiet_though_behind, quiet_though_needed, quiet_once, quiet_of_next_version,
  // in ranks: what they do with what they hear
  late_targets_ignored, unknown_clocks_ignored, needs_ignored, needs_never_end, needed_are_held, nobody_is_held,
  all_are_held,
  // in the coordinator
  any_version_counts, targets_keep_version, last_not_awaited, first_heard_is_enough, last_link_not_told,
  first_snapshot_only, one_wait_only, wait_end_ends_all,
  // in relays
  relay_quiet_early, relay_quiet_of_old, relay_counts_lost, relay_targets_lost, relay_waits_lost,
  relay_behind_untold, relay_always_behind, relay_needs_lost, relay_any_version_counts, relay_first_heard_is_enough
};

struct mutant {
  static constexpr std::string_view name = "mutant";
  static constexpr bool combines = true;
  static inline change current = change::none;  // a policy's parts are made without arguments
  static bool is(change c) { return current == c; }

  using news = clock::needs::news;
  using orders = clock::needs::orders;
  using up = clock::needs::up;
  using down = clock::needs::down;
  template <class Transport> class rank;
  template <class Transport> class relay;
  template <class Transport> class coordinator;
};

/// What a rank says passes through here.
template <class Transport>
struct rank_filter {
  Transport& to;
  std::map<clock::group_name, std::pair<std::uint64_t, std::uint64_t>> clocks;    // count, target
  bool needed = false, has_spoken = false;
  std::vector<clock::group_count> kept;
  int quiets = 0;

  bool is_behind() const {
    for (const auto& [name, c] : clocks)
      if (c.first < c.second) return true;
    return false;
  }
  void send(const mutant::up& m) {
    mutant::news n = std::get<mutant::news>(m);
    if (std::exchange(has_spoken, true)) change_counts(n);
    for (clock::needs::wait& w : n.waits) change_wait(w);
    std::erase_if(n.waits, is_lost);
    if (mutant::is(change::quiet_though_behind) && is_behind()) n.quiet = true;
    if (mutant::is(change::quiet_though_needed) && needed && !is_behind()) n.quiet = true;
    if (n.quiet && ++quiets > 2 && mutant::is(change::quiet_once)) n.quiet = false;
    if (mutant::is(change::quiet_of_next_version)) ++n.version;
    to.send(n);
  }

 private:
  void change_counts(mutant::news& n) {
    if (mutant::is(change::raise_lost)) n.counts.clear();
    if (mutant::is(change::raise_late)) std::swap(n.counts, kept);
  }
  static void change_wait(clock::needs::wait& w) {
    if (mutant::is(change::wildcard_of_one) && w.waits && w.peers.empty()) w.peers = {0};
    if (mutant::is(change::behind_untold)) w.is_behind = false;
    if (mutant::is(change::always_told_behind)) w.is_behind = w.waits;
  }
  static bool is_lost(const clock::needs::wait& w) {
    return (mutant::is(change::wait_lost) && w.waits) || (mutant::is(change::wait_end_lost) && !w.waits) ||
           (mutant::is(change::wildcard_lost) && w.waits && w.peers.empty()) ||
           (mutant::is(change::needed_pass_nothing_on) && w.waits && !w.is_behind);
  }
};

template <class Transport>
class mutant::rank : public rank_filter<Transport>, public clock::needs::rank<rank_filter<Transport>> {
  using filter = rank_filter<Transport>;
  using original = clock::needs::rank<filter>;

 public:
  rank(Transport& transport, int number)
      : filter{transport, {}, false, false, {}, 0}, original(*this, number), number_(number) {}

  void begin(std::vector<clock::group_count> counts) {
    for (const clock::group_count& c : counts) this->clocks[c.name] = {c.count, c.count};
    original::begin(std::move(counts));
  }
  void receive(const down& message) {
    orders o = std::get<orders>(message);
    if (is(change::late_targets_ignored) && o.version > 1) o.targets.clear();
    if (is(change::unknown_clocks_ignored))
      std::erase_if(o.targets, [&](const clock::group_count& t) { return !this->clocks.contains(t.name); });
    if (is(change::needs_ignored)) o.needed = {};
    if (is(change::needs_never_end)) o.no_longer = {};
    this->needed = (this->needed || o.needed.contains(number_)) && !o.no_longer.contains(number_);
    for (const clock::group_count& t : o.targets) {
      auto& target = this->clocks[t.name].second;
      target = std::max(target, t.count);
    }
    original::receive(o);
    const bool lies = (is(change::quiet_though_behind) && filter::is_behind()) ||
                      (is(change::quiet_though_needed) && this->needed && !filter::is_behind());
    if (lies) this->send(news{o.version, true, {}, {}});
  }
  clock::verdict start(const clock::collective& next) {
    auto& [count, target] = this->clocks[next.name];
    if (is(change::all_are_held) || (is(change::needed_are_held) && !filter::is_behind())) return clock::verdict::hold;
    const std::pair before{count, target};
    count = std::max(count, next.count);   // the original speaks of it before it returns
    target = std::max(target, next.count);
    const clock::verdict v = original::start(next);
    if (v != clock::verdict::hold) return v;
    std::tie(count, target) = before;
    return is(change::nobody_is_held) ? clock::verdict::go : v;
  }

 private:
  const int number_;

 public:
  static constexpr auto fields =
      std::tuple_cat(original::fields, std::tuple{&filter::clocks, &filter::needed, &filter::has_spoken,
                                                  &filter::kept, &filter::quiets});
};

/// What the coordinator, or a relay, says to its links passes through here.
template <class Transport>
struct link_filter {
  Transport& to;
  std::vector<std::uint64_t> newest, told;      // by link: the original's version; what the link was told
  std::vector<std::uint64_t> quiet_at;          // by link: the version that it was told, of its last news that were quiet

  void send(int link, const mutant::down& message) {
    const std::size_t l = static_cast<std::size_t>(link);
    mutant::orders o = std::get<mutant::orders>(message);
    newest[l] = o.version;
    const bool keeps = mutant::is(change::targets_keep_version) && told[l] != 0 && !o.targets.empty();
    if (!keeps) ++told[l];
    if (mutant::is(change::targets_keep_version)) o.version = told[l];
    if (mutant::is(change::last_link_not_told) && l + 1 == newest.size() && o.version > 1) o.targets.clear();
    if (mutant::is(change::relay_targets_lost) && is_relay) o.targets.clear();
    if (mutant::is(change::relay_needs_lost) && is_relay) o.needed = {};
    to.send(link, o);
  }
  void send_up(const mutant::up& message) {
    mutant::news n = std::get<mutant::news>(message);
    if (mutant::is(change::relay_counts_lost) && std::exchange(has_spoken, true)) n.counts.clear();
    if (mutant::is(change::relay_waits_lost)) n.waits.clear();
    for (clock::needs::wait& w : n.waits) {
      if (mutant::is(change::relay_behind_untold)) w.is_behind = false;
      if (mutant::is(change::relay_always_behind)) w.is_behind = w.waits;
    }
    if (mutant::is(change::relay_quiet_early)) n.quiet = true;
    if (mutant::is(change::relay_quiet_of_old) && n.version > 0) --n.version;
    to.send_up(n);
  }
  void declare_line() { to.declare_line(); }

  bool is_relay = false, has_spoken = false;
  static link_filter of(Transport& transport, std::size_t links, bool is_relay) {
    const std::vector<std::uint64_t> none(links);
    return {transport, none, none, none, is_relay, false};
  }
};

/// Original: needs::relay or needs::coordinator
template <class Transport, class Original, bool IsRelay>
class changed_hub : public link_filter<Transport>, public Original {
  using filter = link_filter<Transport>;

 public:
  changed_hub(Transport& transport, std::span<const clock::rank_range> links)
      : filter(filter::of(transport, links.size(), IsRelay)), Original(*this, links), links_(links) {}

  void receive(int link, const mutant::up& message) {
    const std::size_t l = static_cast<std::size_t>(link), last = links_.size() - 1;
    mutant::news n = std::get<mutant::news>(message);
    if (n.quiet) this->quiet_at[l] = n.version + 1;
    if (mutant::is(IsRelay ? change::relay_any_version_counts : change::any_version_counts)) n.version = this->newest[l];
    if (mutant::is(change::targets_keep_version) && n.version == this->told[l]) n.version = this->newest[l];
    if (!IsRelay) change_snapshot(l, n), change_waits(link, n);
    Original::receive(link, n);
    const bool is_last_heard = !IsRelay && mutant::is(change::last_not_awaited) && this->quiet_at[last] != 0;
    if (is_last_heard && l != last) pretend(last);
    if (mutant::is(IsRelay ? change::relay_first_heard_is_enough : change::first_heard_is_enough))
      for (std::size_t other = 0; other <= last; ++other)
        if (this->quiet_at[other] == 0) pretend(other);
  }
  void settle() {
    Original::settle();
    if (!mutant::is(change::targets_keep_version)) return;
    // What was quiet as of the version that was told stays so, as the version is the same.
    bool some = false;
    for (std::size_t l = 0; l < links_.size(); ++l)
      if (this->newest[l] != 0 && this->quiet_at[l] == this->told[l] + 1) pretend(l), some = true;
    if (some) Original::settle();
  }

 private:
  void pretend(std::size_t link) {
    Original::receive(static_cast<int>(link), mutant::news{this->newest[link], true, {}, {}});
  }
  static void change_snapshot(std::size_t link, mutant::news& n) {
    if (mutant::is(change::first_snapshot_only) && link != 0 && n.version == 0) n.counts.clear();
  }
  void change_waits(int link, const mutant::news& n) {
    if (n.waits.empty()) return;
    const bool ends = !n.waits.front().waits;
    if (!mutant::is(ends ? change::wait_end_ends_all : change::one_wait_only)) return;
    for (int r = 0; r < links_.back().end; ++r)
      if (r != n.waits.front().rank)
        Original::receive(link, mutant::news{~std::uint64_t{0}, false, {}, {clock::needs::nobody(r)}});
  }

  std::span<const clock::rank_range> links_;

 public:
  static constexpr auto fields =
      std::tuple_cat(Original::fields, std::tuple{&filter::newest, &filter::told, &filter::quiet_at,
                                                  &filter::has_spoken});
};

template <class Transport>
class mutant::coordinator
    : public changed_hub<Transport, clock::needs::coordinator<link_filter<Transport>>, false> {
 public:
  using changed_hub<Transport, clock::needs::coordinator<link_filter<Transport>>, false>::changed_hub;
};
template <class Transport>
class mutant::relay : public changed_hub<Transport, clock::needs::relay<link_filter<Transport>>, true> {
 public:
  using changed_hub<Transport, clock::needs::relay<link_filter<Transport>>, true>::changed_hub;
};

static_assert(clock::policy<mutant>);

}  // namespace clock_model
