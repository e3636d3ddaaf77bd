#include <mana/mana.hpp>

int main() {
  constexpr auto id = mana::virt<mana::kind::comm>::make(7, 3);
  static_assert(id.index() == 7 && id.generation() == 3);
  return id.well_formed() ? 0 : 1;
}
