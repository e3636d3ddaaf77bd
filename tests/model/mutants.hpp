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
  raise_lost, followers_raise_lost, needed_raise_lost, raise_late, need_lost, need_end_lost, wildcard_need_lost,
  wildcard_need_of_one, needed_pass_nothing_on, report_though_behind, report_though_needed, report_once,
  report_of_next_version,
  // in ranks: what they do with what they hear
  late_targets_ignored, needs_ignored, needs_never_end, needed_are_held, nobody_is_held, all_are_held,
  // in the coordinator
  any_report_counts, raise_keeps_version, last_not_awaited, unconcerned_not_told, last_member_not_told,
  first_snapshot_only, one_need_only, need_end_ends_all
};

struct mutant {
  static constexpr std::string_view name = "mutant";
  static inline change current = change::none;  // a policy's parts are made without arguments
  static bool is(change c) { return current == c; }

  using up = clock::needs::up;
  using down = clock::needs::down;
  template <class Transport> class rank;
  template <class Transport> class coordinator;
};

/// What a rank says passes through here.
template <class Transport>
struct rank_filter {
  Transport& to;
  std::map<clock::group_name, std::pair<std::uint64_t, std::uint64_t>> clocks;    // count, target
  std::vector<int> needed_by;
  std::vector<mutant::up> kept;
  bool has_reported = false, follows = false;

  bool is_behind() const {
    for (const auto& [name, c] : clocks)
      if (c.first < c.second) return true;
    return false;
  }
  void send(const mutant::up& m) {
    if (std::holds_alternative<clock::needs::raise>(m)) return send_raise(m);
    if (const auto* n = std::get_if<clock::needs::need>(&m)) return send_need(*n);
    if (std::holds_alternative<clock::needs::need_end>(m) && mutant::is(change::need_end_lost)) return;
    if (const auto* r = std::get_if<clock::needs::report>(&m)) {
      if (std::exchange(has_reported, true) && mutant::is(change::report_once)) return;
      return to.send(clock::needs::report{r->version + (mutant::is(change::report_of_next_version) ? 1 : 0)});
    }
    to.send(m);
  }
  void send_kept() {
    for (const mutant::up& m : std::exchange(kept, {})) to.send(m);
  }

 private:
  void send_raise(const mutant::up& m) {
    if (mutant::is(change::raise_lost)) return;
    if (mutant::is(change::followers_raise_lost) && follows) return;
    if (mutant::is(change::needed_raise_lost) && !follows) return;
    if (mutant::is(change::raise_late)) kept.push_back(m);
    else to.send(m);
  }
  void send_need(const clock::needs::need& n) {
    if (mutant::is(change::need_lost) || (mutant::is(change::wildcard_need_lost) && n.peers.empty())) return;
    if (mutant::is(change::needed_pass_nothing_on) && !is_behind()) return;
    if (mutant::is(change::wildcard_need_of_one) && n.peers.empty()) return to.send(clock::needs::need{{0}});
    to.send(n);
  }
};

template <class Transport>
class mutant::rank : public rank_filter<Transport>, public clock::needs::rank<rank_filter<Transport>> {
  using filter = rank_filter<Transport>;
  using original = clock::needs::rank<filter>;

 public:
  rank(Transport& transport, int number) : filter{transport, {}, {}, {}}, original(*this, number) {}

  void begin(std::vector<clock::group_count> counts) {
    for (const clock::group_count& c : counts) this->clocks[c.name] = {c.count, c.count};
    original::begin(std::move(counts));
  }
  void receive(const down& message) {
    clock::needs::state s = std::get<clock::needs::state>(message);
    if (is(change::late_targets_ignored) && s.version > 1) s.targets.clear();
    if (is(change::needs_ignored)) s.needed_by.clear();
    if (is(change::needs_never_end))
      s.needed_by.insert(s.needed_by.end(), this->needed_by.begin(), this->needed_by.end());
    std::sort(s.needed_by.begin(), s.needed_by.end());
    s.needed_by.erase(std::unique(s.needed_by.begin(), s.needed_by.end()), s.needed_by.end());
    this->needed_by = s.needed_by;
    for (const clock::group_count& t : s.targets) {
      auto& target = this->clocks[t.name].second;
      target = std::max(target, t.count);
    }
    original::receive(s);
    this->send_kept();
    const bool is_needed = !this->is_behind() && !s.needed_by.empty();
    if ((is(change::report_though_behind) && this->is_behind()) || (is(change::report_though_needed) && is_needed))
      this->to.send(clock::needs::report{s.version});
  }
  clock::verdict start(const clock::collective& next) {
    auto& [count, target] = this->clocks[next.name];
    if (is(change::all_are_held) || (is(change::needed_are_held) && !this->is_behind())) return clock::verdict::hold;
    this->follows = next.count <= target;
    const clock::verdict v = original::start(next);
    if (v == clock::verdict::hold) return is(change::nobody_is_held) ? clock::verdict::go : v;
    count = std::max(count, next.count);
    target = std::max(target, next.count);
    return v;
  }

  static constexpr auto fields =
      std::tuple_cat(original::fields, std::tuple{&filter::clocks, &filter::needed_by, &filter::kept,
                                                  &filter::has_reported, &filter::follows});
};

/// What the coordinator says passes through here. It knows the version that ranks were told.
template <class Transport>
struct coordinator_filter {
  Transport& to;
  int ranks;
  std::uint64_t newest = 0, told = 0;           // the original's version; what ranks are told
  bool keeps_version = false;
  std::vector<std::uint64_t> reported;          // by rank, of those that were told
  std::map<int, std::vector<int>> needed_by;    // as last told

  void send(int rank, const mutant::down& message) {
    clock::needs::state s = std::get<clock::needs::state>(message);
    if (newest != s.version && !keeps_version) ++told;
    newest = s.version;
    if (mutant::is(change::raise_keeps_version)) s.version = told;
    if (mutant::is(change::last_member_not_told) && rank == ranks - 1 && s.version > 1) s.targets.clear();
    const bool concerned = s.version == 1 || !s.targets.empty() || s.needed_by != needed_by[rank];
    needed_by[rank] = s.needed_by;
    if (concerned || !mutant::is(change::unconcerned_not_told)) to.send(rank, s);
  }
  void declare_line() { to.declare_line(); }
};

template <class Transport>
class mutant::coordinator : public coordinator_filter<Transport>,
                            public clock::needs::coordinator<coordinator_filter<Transport>> {
  using filter = coordinator_filter<Transport>;
  using original = clock::needs::coordinator<filter>;

 public:
  coordinator(Transport& transport, int ranks)
      : filter{transport, ranks, 0, 0, false, std::vector<std::uint64_t>(static_cast<std::size_t>(ranks)), {}},
        original(*this, ranks) {}

  void receive(int rank, const up& message) {
    if (const auto* r = std::get_if<clock::needs::report>(&message)) return on_report(rank, r->version);
    if (const auto* s = std::get_if<clock::needs::snapshot>(&message)) return on_snapshot(rank, *s);
    const bool ends = std::holds_alternative<clock::needs::need_end>(message);
    const bool begins = std::holds_alternative<clock::needs::need>(message);
    for (int r = 0; r < this->ranks; ++r)
      if (r != rank && ((ends && is(change::need_end_ends_all)) || (begins && is(change::one_need_only))))
        original::receive(r, clock::needs::need_end{});
    this->keeps_version = is(change::raise_keeps_version) && std::holds_alternative<clock::needs::raise>(message);
    const std::uint64_t before = this->newest;
    original::receive(rank, message);
    if (std::exchange(this->keeps_version, false) && this->newest != before) report_again();
  }

 private:
  /// What was told of a version stays told, as the version is the same.
  void report_again() {
    for (int r = 0; r < this->ranks; ++r)
      if (this->reported[static_cast<std::size_t>(r)] == this->told) pass_report(r);
  }
  void on_report(int rank, std::uint64_t version) {
    this->reported[static_cast<std::size_t>(rank)] = version;
    if (is(change::raise_keeps_version)) {
      if (version == this->told) pass_report(rank);
      return;
    }
    if (is(change::any_report_counts)) return pass_report(rank);
    if (is(change::last_not_awaited) && version == this->newest && rank != this->ranks - 1)
      hear_report(this->ranks - 1, version);
    hear_report(rank, version);
  }
  void pass_report(int rank) { hear_report(rank, this->newest); }
  void hear_report(int rank, std::uint64_t version) { original::receive(rank, clock::needs::report{version}); }
  void on_snapshot(int rank, clock::needs::snapshot s) {
    if (is(change::first_snapshot_only) && rank != 0)
      for (clock::group_count& c : s.counts) c.count = 0;
    original::receive(rank, s);
  }


 public:
  static constexpr auto fields = std::tuple_cat(
      original::fields, std::tuple{&filter::newest, &filter::told, &filter::reported, &filter::needed_by});
};

static_assert(clock::policy<mutant>);

}  // namespace clock_model
