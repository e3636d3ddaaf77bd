#include "rank_image.hpp"

#include <cpuid.h>

namespace mana::image {

namespace {

std::uint64_t pair(unsigned low, unsigned high) noexcept { return static_cast<std::uint64_t>(high) << 32 | low; }

template <class... Bits>
constexpr unsigned bits(Bits... n) noexcept { return ((1u << n) | ...); }

// What a program can choose code by. Bits of the machine's own (virtualization, power, tracing, …) differ between nodes
// that run the same programs, and do not count.
constexpr unsigned leaf1_c = ~bits(2, 3, 4, 5, 6, 7, 8, 10, 11, 14, 15, 17, 18, 21, 24, 31);
constexpr unsigned leaf1_d = bits(0, 4, 8, 15, 19, 23, 24, 25, 26);
constexpr unsigned leaf7_b = bits(0, 3, 4, 5, 8, 9, 11, 14, 16, 17, 18, 19, 21, 23, 24, 26, 27, 28, 29, 30, 31);
constexpr unsigned leaf7_c = bits(0, 1, 5, 6, 8, 9, 10, 11, 12, 14, 22, 25, 27, 28);
constexpr unsigned extended_c = bits(0, 5, 6, 7, 8, 11, 16, 21, 29);
constexpr unsigned extended_d = bits(11, 22, 26, 27, 29, 30, 31);

/// The register states that the kernel saves: bits of XCR0.
std::uint64_t enabled_states() noexcept {
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return pair(low, high);
}

}  // namespace

void read_cpu_features(std::uint64_t (&words)[4]) noexcept {
  constexpr unsigned osxsave = 1u << 27;
  unsigned a = 0, b = 0, c = 0, d = 0;
  for (std::uint64_t& word : words) word = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return;
  words[0] = pair(c & leaf1_c, d & leaf1_d);
  if ((c & osxsave) != 0) words[2] = enabled_states();
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) words[1] = pair(b & leaf7_b, c & leaf7_c);
  if (__get_cpuid(0x8000'0001, &a, &b, &c, &d) != 0) words[3] = pair(c & extended_c, d & extended_d);
}

}  // namespace mana::image
