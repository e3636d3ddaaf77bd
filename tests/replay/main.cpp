// mana-clock-replay DIR: checks the traces that `mana run --clock-trace DIR` left, see docs/design/clock.md.
// Exit status: 0 all rules hold, 1 one is broken, 64 there are no traces.
#include "replay.hpp"

#include <cstdio>
#include <exception>

namespace {

constexpr int exit_broken = 1, exit_usage = 64;

int replay(const char* directory) {
  const clock_replay::report r = clock_replay::check_directory(directory);
  if (r.files == 0) {
    std::fprintf(stderr, "mana-clock-replay: there are no traces in %s\n", directory);
    return exit_usage;
  }
  for (const auto& v : r.found) std::fprintf(stderr, "mana-clock-replay: %s\n", v.describe().c_str());
  std::printf("jobs %lu, requests %lu, lines %lu, messages %lu, starts %lu, held %lu: %s\n", r.checked.jobs,
              r.checked.requests, r.checked.lines, r.checked.messages, r.checked.starts, r.checked.held,
              r.found.empty() ? "all rules hold" : "RULES ARE BROKEN");
  return r.found.empty() ? 0 : exit_broken;
}

}  // namespace

int main(int count, char** words) {
  if (count != 2 || words[1][0] == '-') {
    std::fprintf(stderr, "usage: mana-clock-replay DIR\n");
    return exit_usage;
  }
  try {
    return replay(words[1]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "mana-clock-replay: %s\n", error.what());
    return exit_usage;
  }
}
