// Ranks and tags that mean nothing, on their way across the boundary.
#pragma once
#include <mana/lower/neutral.hpp>

#include <algorithm>
#include <limits>

namespace mana::neutral {

/// in: number  negative, without a meaning in the mpi.h that it comes from      out: one without a meaning on the boundary
constexpr int without_meaning(int number) noexcept {
  return std::max(number, std::numeric_limits<int>::min() + meaningless) - meaningless;
}

}  // namespace mana::neutral
