// A set of ranks of a window that has few.
#pragma once
#include <bit>
#include <cstdint>

namespace mana::object {

struct rank_bits {
  static constexpr int words = 2;
  static constexpr int most_ranks = words * 64;
  std::uint64_t of[words] = {};
  constexpr void add(int rank) noexcept { of[rank / 64] |= std::uint64_t{1} << rank % 64; }
  constexpr void remove(int rank) noexcept { of[rank / 64] &= ~(std::uint64_t{1} << rank % 64); }
  constexpr bool any() const noexcept { return (of[0] | of[1]) != 0; }
  /// Calls visit(rank) in ascending order, until it returns false.
  template <class Visit>
  constexpr void for_each(Visit&& visit) const noexcept {
    for (int i = 0; i < words; ++i)
      for (std::uint64_t left = of[i]; left != 0; left &= left - 1)
        if (!visit(i * 64 + std::countr_zero(left))) return;
  }
};

}  // namespace mana::object
