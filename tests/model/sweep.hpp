// Explores program after program, and adds up.
#pragma once
#include "explore.hpp"
#include "family.hpp"

#include <ctime>

namespace clock_model {

struct totals {
  std::uint64_t tried = 0, programs = 0;       // programs: those that end without requests
  std::uint64_t unfinished = 0;                // more states than the limit
  std::uint64_t states = 0, steps = 0, lines = 0, ends_without_line = 0, all_beyond = 0;
  int most_talk = 0, most_beyond = 0, most_collectives = 0;
  bool out_of_time = false, stopped = false;
  std::optional<script> failed;                // the first that did
  findings failure;
  double seconds = 0;
};

/// Programs by a source: calls visit(script) until it says false.
using source = std::function<bool(const std::function<bool(const script&)>&)>;

inline source random_source(const bounds& b, unsigned seed, std::uint64_t programs) {
  return [=](const std::function<bool(const script&)>& visit) {
    std::mt19937 chance(seed);
    for (std::uint64_t i = 0; i < programs; ++i)
      if (!visit(random_program(chance, b))) return false;
    return true;
  };
}
inline source family_source(const bounds& b) {
  return [=](const std::function<bool(const script&)>& visit) { return for_each_program(b, visit); };
}
inline source one_program(const script& s) {
  return [=](const std::function<bool(const script&)>& visit) { return visit(s); };
}

/// Of this process's time on a core: what is found does not depend on what else the machine does.
class stop_watch {
 public:
  double seconds() const { return static_cast<double>(std::clock() - begin_) / CLOCKS_PER_SEC; }

 private:
  std::clock_t begin_ = std::clock();
};

/// Is told how far a sweep is: programs before this one, and states in all.      out: go on
using sweep_watcher = std::function<bool(std::uint64_t programs, std::uint64_t states)>;

template <mana::clock::policy P>
totals sweep(const source& programs, const rules& how, const limits& most, double seconds,
             const sweep_watcher& goes_on = [](std::uint64_t, std::uint64_t) { return true; }) {
  totals t;
  const stop_watch watch;
  const watcher at = [&](std::uint64_t states) { return goes_on(t.programs, t.states + states); };
  programs([&](const script& s) {
    t.stopped = !at(0);
    t.out_of_time = watch.seconds() > seconds;
    if (t.stopped || t.out_of_time) return false;
    ++t.tried;
    if (!ends_natively(s)) return true;
    findings f = explorer<P>(s, how, most, at).depth_first();
    if (f.what == outcome::no_program || f.what == outcome::refused) return true;
    t.stopped = f.what == outcome::stopped;
    if (!t.stopped) ++t.programs;
    t.states += f.states;
    t.steps += f.steps;
    t.lines += f.lines;
    t.ends_without_line += f.ends_without_line;
    t.all_beyond += f.all_beyond;
    t.most_talk = std::max(t.most_talk, f.most_talk);
    t.most_beyond = std::max(t.most_beyond, f.most_beyond);
    t.most_collectives = std::max(t.most_collectives, f.most_collectives);
    if (f.what == outcome::limit) ++t.unfinished;
    if (t.stopped) return false;
    if (!is_violation(f.what)) return true;
    t.failed = s;
    t.failure = std::move(f);
    return false;
  });
  t.seconds = watch.seconds();
  return t;
}

}  // namespace clock_model
