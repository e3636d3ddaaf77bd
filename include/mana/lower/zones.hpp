// Zones of the upper half besides the frozen ones of abi.hpp.
#pragma once
#include <mana/lower/abi.hpp>

namespace mana::lower {

/// The zone that MAP_32BIT chooses from, as in the kernel: below 2 GiB, so that signed 32 bits reach it. Only the upper
/// half maps memory there: the kernel gives the lower half addresses from the top of the space, or behind its own
/// program.
inline constexpr std::uintptr_t low_zone = 0x4000'0000, low_zone_end = 0x8000'0000;

/// The initial thread's stack, which grows down from here.
inline constexpr std::uintptr_t stack_top = large_program_zone - 0x4000'0000;
static_assert(stack_top > stack_zone);

constexpr bool is_in_low_zone(std::uintptr_t begin, std::uintptr_t end) noexcept {
  return begin >= low_zone && begin <= end && end <= low_zone_end;
}

}  // namespace mana::lower
