// The applications: what each of N ranks does, step after step, until nobody looks any more.
#pragma once
#include "rank_calls.hpp"

#include <string_view>
#include <vector>

namespace clock_scale {

struct pattern {
  std::string_view name, what;
  rank_program (*program)(rank_calls me, std::uint64_t seed);
  nanoseconds step;        // about so long is one
  nanoseconds first_step;  // when it begins
};

/// halo, grid, straggler, chain
const std::vector<pattern>& patterns();

/// When the request comes: at any moment of a step that is not the first.
nanoseconds request_time(const pattern& p, std::uint64_t seed);

constexpr int chain_length = 64;  // ranks

}  // namespace clock_scale
