// What of the processor a saved program depends on.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mana::image {

/// Bits of the processor that a program may choose code by: of CPUID's leaf 1 (ecx, edx), its leaf 7 (ebx, ecx), XCR0, and
/// leaf 0x80000001 (ecx, edx); of each pair the first in the lower half.
struct processor_features {
  std::uint64_t words[4] = {};
};

processor_features features_here() noexcept;

/// What of `needed` is not there, by the names of /proc/cpuinfo; what has no name there, by a number of ours.
std::vector<std::string> lacking(const processor_features& needed, const processor_features& there);

/// Levels of the x86-64 ABI, the lowest first: "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4".
const std::vector<std::string>& processor_levels();

/// What of `features` a program may use that is limited to this level, one of processor_levels(); all if it is empty.
processor_features limited_to(std::string_view level, processor_features features);

/// The least features of the level.
processor_features least_of(std::string_view level);

/// Value of GLIBC_TUNABLES with which libc and its loader use nothing beyond the level.
/// in: earlier  value that the variable has already, or empty
std::string tunables_for(std::string_view level, const std::string& earlier);

}  // namespace mana::image
