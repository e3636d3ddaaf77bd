#include "family.hpp"

#include "index.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace clock_model {

namespace {

/// A collective of these members, or a message.
struct event {
  act what;
  unsigned members = 0;                        // a bit per rank
  int from = 0, to = 0;
  bool is_wildcard = false;
  int cost() const { return is_collective(what) ? __builtin_popcount(members) : 2; }
  unsigned touches() const {
    if (is_lock(what)) return 1u << from | the_lock;
    return is_collective(what) ? members : 1u << from | 1u << to;
  }
  static constexpr unsigned the_lock = 1u << 31;         // all use the same one
};

/// An operation whose group is a set of ranks: it can be renumbered.
struct raw_op {
  act what;
  unsigned with;                               // members, or a peer
  auto operator<=>(const raw_op&) const = default;
};
using raw_program = std::vector<std::vector<raw_op>>;

class enumeration {
 public:
  enumeration(const bounds& b, int ranks, const std::function<bool(const script&)>& visit)
      : bounds_(b), n_(ranks), visit_(visit) {
    for (unsigned members = 1; members < 1u << n_; ++members)
      if (__builtin_popcount(members) >= 2)
        for (const auto& [letter, what] : {std::pair{'s', act::sync}, {'b', act::rooted}, {'r', act::reduce}, {'f', act::fence}})
          if (has(letter)) events_.push_back({what, members});
    collectives_ = events_.size();
    for (int from = 0; from < n_; ++from)
      for (int to = 0; to < n_; ++to) {
        if (from == to) continue;
        if (has('e')) events_.push_back({act::send, 0, from, to});
        if (has('y')) events_.push_back({act::ssend, 0, from, to});
        if (has('a')) events_.push_back({act::send, 0, from, to, true});
      }
    for (int r = 0; r < n_; ++r) {
      if (has('l')) events_.push_back({act::lock, 0, r, r});
      if (has('h')) events_.push_back({act::share, 0, r, r});
    }
    std::vector<int> numbers(index(n_));
    std::iota(numbers.begin(), numbers.end(), 0);
    while (std::next_permutation(numbers.begin(), numbers.end())) renumberings_.push_back(numbers);
  }

  bool with_operations(int operations) { return choose(0, operations); }

 private:
  bool has(char kind) const { return bounds_.kinds.find(kind) != std::string::npos; }

  bool choose(std::size_t first, int left) {
    if (left == 0) return write();
    for (std::size_t e = first; e < events_.size(); ++e) {
      if (events_[e].cost() > left || (chosen_.empty() && e >= collectives_)) continue;
      chosen_.push_back(e);
      const bool go_on = choose(e, left - events_[e].cost());
      chosen_.pop_back();
      if (!go_on) return false;
    }
    return true;
  }

  bool write() {
    std::vector<unsigned> groups;
    unsigned reached = 0;
    for (const std::size_t e : chosen_)
      if (is_collective(events_[e].what)) groups.push_back(events_[e].members);
    std::sort(groups.begin(), groups.end());
    groups.erase(std::unique(groups.begin(), groups.end()), groups.end());
    if (groups.size() > index(bounds_.groups)) return true;
    for (std::size_t round = 0; round < chosen_.size(); ++round)
      for (const std::size_t e : chosen_)
        if (reached == 0 || (reached & events_[e].touches()) != 0) reached |= events_[e].touches();
    if ((reached & ~event::the_lock) != (1u << n_) - 1) return true;
    raw_program made(index(n_));
    for (const std::size_t e : chosen_) add(made, events_[e]);
    for (auto& ops : made) std::sort(ops.begin(), ops.end());
    return in_all_orders(made, 0, groups);
  }

  void add(raw_program& made, const event& e) const {
    if (is_collective(e.what)) {
      for (int r = 0; r < n_; ++r)
        if ((e.members >> r & 1) != 0) made[index(r)].push_back({e.what, e.members});
    } else if (is_lock(e.what)) {
      made[index(e.from)].push_back({e.what, 0});
      made[index(e.from)].push_back({act::unlock, 0});
    } else {
      made[index(e.from)].push_back({e.what, static_cast<unsigned>(e.to)});
      made[index(e.to)].push_back({e.is_wildcard ? act::recv_any : act::recv,
                                   e.is_wildcard ? 0u : static_cast<unsigned>(e.from)});
    }
  }

  bool in_all_orders(raw_program& made, std::size_t rank, const std::vector<unsigned>& groups) {
    if (rank == made.size()) return !is_canonical(made) || visit_(to_script(made, groups));
    do {
      if (unlocks_what_it_has(made[rank]) && !in_all_orders(made, rank + 1, groups)) return false;
    } while (std::next_permutation(made[rank].begin(), made[rank].end()));
    return true;
  }

  static bool unlocks_what_it_has(const std::vector<raw_op>& ops) {
    bool has_it = false;
    for (const raw_op& o : ops) {
      if (is_lock(o.what) == has_it && (is_lock(o.what) || o.what == act::unlock)) return false;
      if (is_lock(o.what) || o.what == act::unlock) has_it = !has_it;
    }
    return true;
  }

  /// No renumbering of the ranks makes it smaller. The first member of a group with roots has to stay the first.
  bool is_canonical(const raw_program& made) const {
    for (const std::vector<int>& numbers : renumberings_) {
      raw_program other(made.size());
      bool keeps_roots = true;
      for (std::size_t r = 0; r < made.size(); ++r) {
        auto& ops = other[index(numbers[r])] = made[r];
        for (raw_op& o : ops) {
          const unsigned old = o.with;
          o.with = is_collective(o.what)         ? renumber(old, numbers)
                   : o.what == act::recv_any || is_lock(o.what) || o.what == act::unlock ? 0
                                             : static_cast<unsigned>(numbers[old]);
          const bool has_root = o.what == act::rooted || o.what == act::reduce;
          if (has_root && __builtin_ctz(o.with) != numbers[index(__builtin_ctz(old))]) keeps_roots = false;
        }
      }
      if (keeps_roots && other < made) return false;
    }
    return true;
  }
  unsigned renumber(unsigned members, const std::vector<int>& numbers) const {
    unsigned other = 0;
    for (int r = 0; r < n_; ++r)
      if ((members >> r & 1) != 0) other |= 1u << numbers[index(r)];
    return other;
  }

  script to_script(const raw_program& made, const std::vector<unsigned>& groups) const {
    script s;
    for (const unsigned members : groups) {
      group g;
      for (int r = 0; r < n_; ++r)
        if ((members >> r & 1) != 0) g.push_back(r);
      s.groups.push_back(g);
    }
    for (const auto& ops : made) {
      s.ranks.emplace_back();
      for (const raw_op& o : ops) {
        const auto at = std::find(groups.begin(), groups.end(), o.with) - groups.begin();
        s.ranks.back().push_back({o.what, is_collective(o.what) ? static_cast<int>(at) : static_cast<int>(o.with), 0});
      }
    }
    return s;
  }

  const bounds& bounds_;
  const int n_;
  const std::function<bool(const script&)>& visit_;
  std::vector<event> events_;
  std::size_t collectives_ = 0;
  std::vector<std::size_t> chosen_;
  std::vector<std::vector<int>> renumberings_;
};

}  // namespace

bool for_each_program(const bounds& b, const std::function<bool(const script&)>& visit) {
  for (int operations = 2; operations <= b.operations; ++operations)
    for (int ranks = b.least_ranks; ranks <= b.ranks; ++ranks)
      if (!enumeration(b, ranks, visit).with_operations(operations)) return false;
  return true;
}

}  // namespace clock_model
