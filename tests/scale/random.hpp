// Numbers that depend on nothing but what they are for: the same in a run and in its twin.
#pragma once
#include <cstdint>

namespace clock_scale {

/// The finalizer of splitmix64.
constexpr std::uint64_t mixed(std::uint64_t x) noexcept {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// out: in [0, 1)
constexpr double random_fraction(std::uint64_t seed, std::uint64_t a, std::uint64_t b) noexcept {
  return static_cast<double>(mixed(mixed(mixed(seed) ^ a) ^ b) >> 11) * 0x1p-53;
}

}  // namespace clock_scale
