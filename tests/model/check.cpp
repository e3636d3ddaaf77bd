// mana-clock-check: its options are in options.cpp, what it checks in docs/clock_checker.md.
#include "long_run.hpp"
#include "show_failure.hpp"
#include "sweep.hpp"

#include <mana/clock/policies.hpp>

#include <cstdio>
#include <stdexcept>

using namespace clock_model;

namespace {

constexpr int exit_bad_option = 64;

/// Calls use(policy) for the one of this name.
template <class Use>
int with_policy(const std::string& name, Use&& use) {
  return [&]<class... P>(std::tuple<P...>*) {
    int status = -1;
    std::string names;
    ((names += " " + std::string(P::name), P::name == name ? void(status = use(static_cast<P*>(nullptr))) : void()),
     ...);
    if (status < 0) throw std::invalid_argument("unknown policy " + name + "; there are:" + names);
    return status;
  }(static_cast<mana::clock::policies*>(nullptr));
}

std::string family_name(const options& o) {
  if (!o.program.empty()) return o.program;
  const bounds& b = o.family;
  const std::string name =
      std::to_string(b.ranks) + "," + std::to_string(b.groups) + "," + std::to_string(b.operations);
  return o.random != 0 ? name + " random " + std::to_string(o.seed) : name + " " + b.kinds;
}

source source_of(const options& o) {
  if (o.random != 0) return random_source(o.family, o.seed, o.random);
  if (o.program.empty()) return family_source(o.family);
  for (const named_program& p : named_programs())
    if (p.name == o.program) return one_program(p.what);
  throw std::invalid_argument("unknown program " + o.program + "; --list names them");
}

template <mana::clock::policy P>
int check(const options& o) {
  const totals t = sweep<P>(source_of(o), o.how, o.most, o.seconds, progress(o));
  std::string verdict = name_of(t.failure.what);
  if (t.unfinished != 0) verdict += ", " + std::to_string(t.unfinished) + " beyond the limit of states";
  if (t.out_of_time) verdict += ", out of time";
  if (t.stopped) verdict += ", stopped";
  std::printf("%-16s %-17s %-4s %8s %11s %8s %8s %6s %8s  %s\n", "policy", "family", "plan", "programs", "states",
              "seconds", "lines", "beyond", "mean", "verdict");
  std::printf("%-16s %-17s %-4s %8lu %11lu %8.1f %8lu %6d %8.4f  %s\n", std::string(P::name).c_str(),
              family_name(o).c_str(), o.how.plan.c_str(), t.programs, t.states, t.seconds, t.lines, t.most_beyond,
              t.lines == 0 ? 0.0 : static_cast<double>(t.all_beyond) / static_cast<double>(t.lines), verdict.c_str());
  if (t.ends_without_line != 0) std::printf("%lu ends without a line\n", t.ends_without_line);
  if (t.failed) show_failure<P>(*t.failed, t.failure, o, o.how, std::string(P::name));
  return t.failed ? 1 : t.stopped ? exit_when_stopped() : 0;
}

int run(const options& o) {
  if (o.list)
    for (const named_program& p : named_programs()) std::printf("%s\n%s", p.name.c_str(), describe(p.what).c_str());
  if (o.list) return 0;
  stop_on_signals();
  if (o.mutants) return !check_mutants(o) ? 1 : stop_signal != 0 ? exit_when_stopped() : 0;
  if (!o.has_family && o.program.empty() && o.random == 0) throw std::invalid_argument("which family, or program?");
  return with_policy(o.policy, [&]<class P>(P*) { return check<P>(o); });
}

}  // namespace

int main(int count, char** words) {
  try {
    return run(read_options(count, words));
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "mana-clock-check: %s\n%s", error.what(), usage);
    return exit_bad_option;
  }
}
