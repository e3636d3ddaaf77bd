// The policy of examples/new_clock with must_all_run() false, as its README.md has it tried, deadlocks.
#include "sweep.hpp"

#include MANA_NEW_CLOCK_HEADER

#include <cstdio>

using namespace clock_model;

int main() {
  const totals found = sweep<mana::clock::all_run>(family_source({4, 2, 6, 4, "se"}), {}, {}, 600);
  std::printf("%s after %lu programs\n", name_of(found.failure.what), found.programs);
  return found.failure.what == outcome::deadlock ? 0 : 1;
}
