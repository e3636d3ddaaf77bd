// Functions of the lower half that exist with int and with MPI_Count counts. If the counts fit, the int form is called,
// which every MPI has. Otherwise the other form is called, if the live MPI has it.
#pragma once
#include <mana/lower/cross.hpp>
#include <mana/lower/neutral.hpp>

#include <algorithm>
#include <climits>
#include <initializer_list>

namespace mana::call {

/// in: counts  all numbers of the call that are int in the small form
///     call(slot, zero)  runs in the lower half; zero has the type of the counts and positions of that slot
/// out: neutral error class
template <class Large, class Small, class Call>
inline int narrow_call(Large large, Small small, std::initializer_list<std::int64_t> counts, Call&& call) noexcept {
  const bool fits =
      std::all_of(counts.begin(), counts.end(), [](std::int64_t n) { return n >= INT_MIN && n <= INT_MAX; });
  return lower::cross([&]() noexcept -> int {
    if (fits) return small != nullptr ? call(small, int{0}) : int{neutral::err_unsupported_operation};
    return large != nullptr ? call(large, std::int64_t{0}) : int{neutral::err_unsupported_operation};
  });
}

}  // namespace mana::call
