// Converts ranks and tags without a meaning on their way across the boundary.
#pragma once
#include <mana/lower/neutral.hpp>

#include <algorithm>
#include <limits>

namespace mana::neutral {

/// in: number  negative, without a meaning in its mpi.h      out: a number without a meaning on the boundary
constexpr int without_meaning(int number) noexcept {
  return std::max(number, std::numeric_limits<int>::min() + meaningless) - meaningless;
}

}  // namespace mana::neutral
