// Many programs: all small ones, or ones by chance. Whether they end without a request is for the explorer to see.
#pragma once
#include "program.hpp"

#include <functional>
#include <random>

namespace clock_model {

/// All programs of 2 to `ranks` ranks on up to `groups` groups with 3 to `operations` operations in all, shortest
/// first: every set of matching operations, in every order on each rank. Left out are copies that only number the
/// ranks differently, programs without a collective, and ones that fall apart into ranks with nothing in common.
struct bounds {
  int ranks = 3, groups = 2, operations = 6;
  int least_ranks = 2;
  /// s: synchronizing collectives, b: broadcasts, r: reductions, e: eager messages, y: synchronous ones,
  /// a: eager messages that are received from anyone, f: fences, l: a lock that one rank has, h: one that it shares
  std::string kinds = "sbey";
};

/// visit: out: go on     out: all were visited
bool for_each_program(const bounds& b, const std::function<bool(const script&)>& visit);

/// By chance, with all operations there are, locks if `kinds` has `l`: `operations` is about how many.
script random_program(std::mt19937& chance, const bounds& b);

}  // namespace clock_model
