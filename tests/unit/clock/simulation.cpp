// Thousands of random programs under random schedules: what must hold in all of them, and that the tests would notice.
#include "random_script.hpp"

#include <doctest/doctest.h>

namespace clock_simulation_tests {

using namespace clock_test;

namespace {

struct tally { int lines = 0, given_up = 0, unsafe = 0, stuck = 0; };

enum class requests { one, several_some_given_up };

/// Moves by chance, at most so often. out: it reached the line
bool move(world& w, std::mt19937& chance, int most) {
  for (; most > 0 && !w.at_line() && w.any(chance); --most) {}
  return w.at_line();
}

/// The line is declared: ranks hear of it in any order, while others still send and receive.
bool stays_consistent(world& w, std::mt19937& chance) {
  for (auto steps = chance() % 20; w.consistent() && steps > 0 && w.any(chance); --steps) {}
  return w.consistent();
}

/// One program with its requests, to its end.
void simulate(unsigned seed, requests how, mutation m, tally& t) {
  constexpr int ample = 20'000;       // far beyond what any of these programs needs: it would never end
  std::mt19937 chance(seed);
  world w(random_script(chance), m);
  w.choose_laziness(chance);
  if (chance() % 2 == 0) w.tell_waits_late();
  for (auto left = how == requests::one ? 1 : 1 + chance() % 4; left > 0; --left) {
    for (auto before = chance() % 30; before > 0 && w.any(chance); --before) {}
    w.request();
    if (how != requests::one && chance() % 2 == 0 && !move(w, chance, static_cast<int>(chance() % 40))) {
      w.give_up();
      ++t.given_up;
      continue;
    }
    if (!move(w, chance, ample)) {
      ++t.stuck;
      return;
    }
    ++t.lines;
    if (!w.consistent() || !stays_consistent(w, chance)) {
      ++t.unsafe;
      return;
    }
    w.conclude();
  }
  for (int most = ample; most > 0 && w.any(chance); --most) {}
  if (!w.all_ended()) ++t.stuck;
}

tally simulate_all(unsigned programs, requests how, mutation m = {}) {
  tally t;
  for (unsigned seed = 0; seed < programs; ++seed) simulate(seed, how, m, t);
  return t;
}

}  // namespace

TEST_CASE("INV-16 every schedule of random programs reaches a consistent line, and the program ends after it") {
  const tally t = simulate_all(6000, requests::one);
  CHECK(t.unsafe == 0);
  CHECK(t.stuck == 0);
  CHECK(t.lines == 6000);
}

TEST_CASE("INV-17 what is left of a request that was given up does no harm to the next ones") {
  const tally t = simulate_all(4000, requests::several_some_given_up);
  CHECK(t.unsafe == 0);
  CHECK(t.stuck == 0);
  CHECK(t.given_up > 1000);
  CHECK(t.lines > 4000);
}

TEST_CASE("the simulation finds what happens without raises, without needs, and without versions") {
  CHECK(simulate_all(2000, requests::one, {.drop_raises = true}).unsafe > 0);
  CHECK(simulate_all(2000, requests::one, {.drop_needs = true}).stuck > 0);
  CHECK(simulate_all(2000, requests::one, {.ignore_versions = true}).unsafe > 0);
}

}  // namespace clock_simulation_tests
