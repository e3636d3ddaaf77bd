#include "rank_image.hpp"

#include <cpuid.h>

namespace mana::image {

namespace {

std::uint64_t pair(unsigned low, unsigned high) noexcept { return static_cast<std::uint64_t>(high) << 32 | low; }

/// The register states that the kernel saves: bits of XCR0.
std::uint64_t enabled_states() noexcept {
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return pair(low, high);
}

}  // namespace

void read_cpu_features(std::uint64_t (&words)[4]) noexcept {
  constexpr unsigned osxsave = 1u << 27, hypervisor = 1u << 31;
  unsigned a = 0, b = 0, c = 0, d = 0;
  for (std::uint64_t& word : words) word = 0;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return;
  words[0] = pair(c & ~hypervisor, d);
  if ((c & osxsave) != 0) words[2] = enabled_states();
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) words[1] = pair(b, c);
  if (__get_cpuid(0x8000'0001, &a, &b, &c, &d) != 0) words[3] = pair(c, d);
}

}  // namespace mana::image
