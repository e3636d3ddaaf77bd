// A counterexample: the shortest there is, as text and as a drawing.
#pragma once
#include "options.hpp"
#include "schedule.hpp"

#include <cstdio>
#include <fstream>
#include <stdexcept>

namespace clock_model {

template <mana::clock::policy P>
void show_failure(const script& program, const findings& failure, const options& o, const rules& how,
                  const std::string& name) {
  const limits search{
      .states = 150'000, .talk = o.most.talk, .keep_line_counts = false, .keep_states = false};
  std::vector<step> steps = failure.schedule;
  if (failure.what != outcome::livelock) {
    std::vector<step> shorter = explorer<P>(program, how, search).shortest();
    if (!shorter.empty()) steps = std::move(shorter);
  }
  const story told = narrator<P>(program, how).tell(steps);
  std::printf("\n%s%s:\n%s", describe(program).c_str(), name_of(failure.what), to_text(told).c_str());
  if (failure.what == outcome::deadlock)
    std::printf("       nothing can happen any more, and the program has not ended\n");
  if (o.svg.empty()) return;
  std::ofstream file(o.svg);
  file << to_svg(told, program, name + ": " + name_of(failure.what));
  if (!file.flush()) throw std::invalid_argument("cannot write " + o.svg);
}

}  // namespace clock_model
