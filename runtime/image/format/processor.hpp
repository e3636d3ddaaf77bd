// The features of the processor that a saved program depends on.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mana::image {

/// Bits by which a program may choose its code: CPUID's leaf 1 (ecx, edx), its leaf 7 (ebx, ecx), XCR0, and leaf
/// 0x80000001 (ecx, edx). The first register of each pair is in the lower 32 bits.
struct processor_features {
  std::uint64_t words[4] = {};
};

processor_features features_here() noexcept;

/// The features of `needed` that `there` lacks, as /proc/cpuinfo names them. Features without such a name get a number
/// of ours.
std::vector<std::string> lacking(const processor_features& needed, const processor_features& there);

/// Levels of the x86-64 ABI, the lowest first: "x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4".
const std::vector<std::string>& processor_levels();

/// The part of `features` that a program limited to this level may use. in: level  one of processor_levels(); empty: no
/// limit
processor_features limited_to(std::string_view level, processor_features features);

/// The features that every processor of the level has.
processor_features least_of(std::string_view level);

/// The value of GLIBC_TUNABLES that keeps libc and its loader from using anything beyond the level.
/// in: earlier  the variable's present value, or empty
std::string tunables_for(std::string_view level, const std::string& earlier);

}  // namespace mana::image
