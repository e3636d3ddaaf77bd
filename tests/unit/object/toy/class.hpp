// Tallies at a checkpoint and at a restart.
#pragma once
#include "life.hpp"

#include <mana/drain/turn.hpp>
#include <mana/vid/in_order.hpp>

template <>
struct mana::object_class<toy::tally> {
  static int look(drain::progress&) noexcept {
    int pending = 0;
    toy::tallies().for_each_unordered([&](toy::entry& e) { pending += !toy::look_after(e); });
    return pending;
  }
  static void describe(drain::sentence& said) noexcept { said << (said.empty() ? "" : ", ") << "waits for tallies"; }
  static void rebuild() noexcept {
    vid::for_each_in_order<toy::tally>([](const toy::entry&) { return true; },
                                       [](const toy::entry& a, const toy::entry& b) { return a.serial < b.serial; },
                                       [](toy::entry& e) { toy::make_real(e); });
  }
};
