// Programs by chance: a global order of events, cut into each rank's, with some neighbours changed.
#include "family.hpp"

#include <algorithm>
#include <array>

namespace clock_model {

namespace {

class author {
 public:
  author(std::mt19937& chance, const bounds& b) : chance_(chance), ranks_(b.least_ranks) {
    ranks_ += below(b.ranks - b.least_ranks + 1);
    made_.ranks.resize(index(ranks_));
    has_wildcards_ = below(4) == 0;
    has_locks_ = b.kinds.find('l') != std::string::npos;
    for (int groups = 1 + below(b.groups); groups > 0; --groups) made_.groups.push_back(some_ranks(all()));
    for (int left = b.operations; left > 1;) left -= add();
    for (int l = 0; l < most_locks; ++l)
      if (holder_[index(l)] >= 0) unlock_it(l);
    for (int swaps = below(4); swaps > 0; --swaps) swap_neighbours();
  }

  script take() { return std::move(made_); }

 private:
  int below(int n) { return static_cast<int>(chance_() % static_cast<unsigned>(n)); }
  static std::size_t index(int i) { return static_cast<std::size_t>(i); }
  rank_ops& of(int r) { return made_.ranks[index(r)]; }

  group all() const {
    group g;
    for (int r = 0; r < ranks_; ++r) g.push_back(r);
    return g;
  }
  group some_ranks(const group& among) {
    group g;
    while (g.size() < 2) {
      g.clear();
      for (const int r : among)
        if (below(2) == 0) g.push_back(r);
    }
    return g;
  }

  int add() {
    if (has_locks_ && below(3) == 0) return add_lock();
    return below(2) == 0 ? add_message() : add_collective();
  }

  /// Taken, or given back: what other ranks do meanwhile lies between.
  int add_lock() {
    const int l = below(most_locks);
    if (holder_[index(l)] >= 0) return unlock_it(l), 1;
    holder_[index(l)] = below(ranks_);
    of(holder_[index(l)]).push_back(below(3) == 0 ? share(l) : lock(l));
    return 1;
  }
  void unlock_it(int l) {
    of(holder_[index(l)]).push_back(unlock(l));
    holder_[index(l)] = -1;
  }

  int add_message() {
    const int from = below(ranks_), to = (from + 1 + below(ranks_ - 1)) % ranks_;
    const int how = below(has_wildcards_ ? 1 : 4);
    const bool later = how == 3 && slot_of(from) < max_slots && slot_of(to) < max_slots;
    if (later) {
      add_later(from, isend(to, slot_of(from)));
      add_later(to, irecv(from, slot_of(to)));
      return 4;
    }
    of(from).push_back(how == 1 || how == 2 ? ssend(to) : send(to));
    of(to).push_back(has_wildcards_ ? recv_any() : recv(from));
    return 2;
  }

  int add_collective() {
    const int g = below(static_cast<int>(made_.groups.size()));
    if (std::find(freed_.begin(), freed_.end(), g) != freed_.end()) return add_message();
    const group members = made_.groups[index(g)];
    if (made_.groups.size() < 4 && members.size() > 2 && below(6) == 0) {
      const int made = static_cast<int>(made_.groups.size());
      made_.groups.push_back(some_ranks(members));
      for (const int m : members) of(m).push_back(make_group(g, made));
      return static_cast<int>(members.size());
    }
    if (below(8) == 0) {
      for (const int m : members) of(m).push_back(free_group(g));
      freed_.push_back(g);
      return static_cast<int>(members.size());
    }
    const act kind = std::array{act::sync, act::sync, act::rooted, act::reduce, act::icoll}[index(below(5))];
    bool has_slots = true;
    for (const int m : members) has_slots = has_slots && slot_of(m) < max_slots;
    for (const int m : members) {
      if (kind == act::icoll && has_slots) add_later(m, ibarrier(g, slot_of(m)));
      else of(m).push_back({kind == act::icoll ? act::sync : kind, g, 0});
    }
    return static_cast<int>(members.size());
  }

  /// Each request has a slot of its own.
  int slot_of(int r) const {
    return static_cast<int>(std::count_if(made_.ranks[index(r)].begin(), made_.ranks[index(r)].end(),
                                          [](const op& o) { return o.what == act::wait; }));
  }
  void add_later(int r, op o) {
    of(r).push_back(o);
    of(r).push_back(wait(o.slot));
  }

  /// A wait moves away from its start, or any two change places; not over what they need.
  void swap_neighbours() {
    rank_ops& ops = of(below(ranks_));
    if (ops.size() < 2) return;
    const std::size_t i = index(below(static_cast<int>(ops.size()) - 1));
    const auto is_bound = [](const op& o) { return o.what == act::make || o.what == act::free; };
    const auto of_lock = [](const op& o) { return is_lock(o.what) || o.what == act::unlock; };
    if (of_lock(ops[i]) && of_lock(ops[i + 1])) return;
    const bool starts = ops[i + 1].what == act::wait && ops[i].slot == ops[i + 1].slot &&
                        (ops[i].what == act::isend || ops[i].what == act::irecv || ops[i].what == act::icoll);
    if (starts || is_bound(ops[i]) || is_bound(ops[i + 1])) return;
    std::swap(ops[i], ops[i + 1]);
  }

  std::mt19937& chance_;
  int ranks_;
  bool has_wildcards_ = false, has_locks_ = false;
  static constexpr int most_locks = 2;
  std::array<int, most_locks> holder_{-1, -1};
  script made_;
  std::vector<int> freed_;
};

}  // namespace

script random_program(std::mt19937& chance, const bounds& b) { return author(chance, b).take(); }

}  // namespace clock_model
