#include <runtime/image/format/processor.hpp>

#include <cpuid.h>

#include <algorithm>

namespace mana::image {

namespace {

constexpr std::uint64_t pair(unsigned low, unsigned high) noexcept {
  return static_cast<std::uint64_t>(high) << 32 | low;
}

template <class... Bits>
constexpr unsigned bits(Bits... n) noexcept { return ((1u << n) | ...); }

// Bits by which a program can choose its code. Bits about the machine itself (virtualization, power, tracing, …) differ
// between nodes that run the same programs, and do not count.
constexpr unsigned leaf1_c = ~bits(2, 3, 4, 5, 6, 7, 8, 10, 11, 14, 15, 17, 18, 21, 24, 31);
constexpr unsigned leaf1_d = bits(0, 4, 8, 15, 19, 23, 24, 25, 26);
constexpr unsigned leaf7_b = bits(0, 3, 4, 5, 8, 9, 11, 14, 16, 17, 18, 19, 21, 23, 24, 26, 27, 28, 29, 30, 31);
constexpr unsigned leaf7_c = bits(0, 1, 5, 6, 8, 9, 10, 11, 12, 14, 22, 25, 27, 28);
constexpr unsigned extended_c = bits(0, 5, 6, 7, 8, 11, 16, 21, 29);
constexpr unsigned extended_d = bits(11, 22, 26, 27, 29, 30, 31);
// The register of the protection keys needs no saving: the kernel gives each process its first value.
constexpr std::uint64_t states = ~(std::uint64_t{1} << 9);

/// The register states that the kernel saves: bits of XCR0.
std::uint64_t enabled_states() noexcept {
  unsigned low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return pair(low, high) & states;
}

constexpr int beyond = 5;      // beyond all levels

struct feature {
  int word, bit;               // of processor_features
  int level;                   // 1 to 4: the first level that has it; beyond: libc uses it, and no level has it
  const char* name;            // in /proc/cpuinfo
  const char* tunable;         // in glibc.cpu.hwcaps; empty: libc does not choose code by it
};

constexpr feature features[] = {
    {0, 32 + 8, 1, "cx8", ""},          {0, 32 + 15, 1, "cmov", ""},        {0, 32 + 23, 1, "mmx", ""},
    {0, 32 + 24, 1, "fxsr", ""},        {0, 32 + 25, 1, "sse", ""},         {0, 32 + 26, 1, "sse2", ""},
    {3, 32 + 11, 1, "syscall", ""},     {3, 32 + 29, 1, "lm", ""},          {2, 0, 1, "fpu", ""},
    {2, 1, 1, "sse", ""},               {0, 0, 2, "pni", ""},               {0, 9, 2, "ssse3", "SSSE3"},
    {0, 13, 2, "cx16", ""},             {0, 19, 2, "sse4_1", "SSE4_1"},     {0, 20, 2, "sse4_2", "SSE4_2"},
    {0, 23, 2, "popcnt", "POPCNT"},     {3, 0, 2, "lahf_lm", ""},           {0, 12, 3, "fma", "FMA"},
    {0, 22, 3, "movbe", "MOVBE"},       {0, 26, 3, "xsave", "XSAVE"},       {0, 27, 3, "xsave", "OSXSAVE"},
    {0, 28, 3, "avx", "AVX"},           {0, 29, 3, "f16c", "F16C"},         {1, 3, 3, "bmi1", "BMI1"},
    {1, 5, 3, "avx2", "AVX2"},          {1, 8, 3, "bmi2", "BMI2"},          {3, 5, 3, "abm", "LZCNT"},
    {2, 2, 3, "avx", ""},               {1, 16, 4, "avx512f", "AVX512F"},   {1, 17, 4, "avx512dq", "AVX512DQ"},
    {1, 28, 4, "avx512cd", "AVX512CD"}, {1, 30, 4, "avx512bw", "AVX512BW"}, {1, 31, 4, "avx512vl", "AVX512VL"},
    {2, 5, 4, "avx512f", ""},           {2, 6, 4, "avx512f", ""},           {2, 7, 4, "avx512f", ""},
    {1, 9, beyond, "erms", "ERMS"},     {1, 11, beyond, "rtm", "RTM"},      {3, 16, beyond, "fma4", "FMA4"},
    {0, 26, beyond, "xsavec", "XSAVEC"},
};

/// 1 to 4; 0: no such level.
int number_of(std::string_view level) {
  const auto& all = processor_levels();
  const auto found = std::find(all.begin(), all.end(), level);
  return found == all.end() ? 0 : static_cast<int>(found - all.begin()) + 1;
}

}  // namespace

processor_features features_here() noexcept {
  constexpr unsigned osxsave = 1u << 27;
  unsigned a = 0, b = 0, c = 0, d = 0;
  processor_features found;
  if (__get_cpuid(1, &a, &b, &c, &d) == 0) return found;
  found.words[0] = pair(c & leaf1_c, d & leaf1_d);
  if ((c & osxsave) != 0) found.words[2] = enabled_states();
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) found.words[1] = pair(b & leaf7_b, c & leaf7_c);
  if (__get_cpuid(0x8000'0001, &a, &b, &c, &d) != 0) found.words[3] = pair(c & extended_c, d & extended_d);
  return found;
}

const std::vector<std::string>& processor_levels() {
  static const std::vector<std::string> all{"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
  return all;
}

processor_features least_of(std::string_view level) {
  processor_features least;
  for (const feature& f : features)
    if (f.level <= number_of(level)) least.words[f.word] |= std::uint64_t{1} << f.bit;
  return least;
}

processor_features limited_to(std::string_view level, processor_features all) {
  if (level.empty()) return all;
  processor_features allowed = least_of(level);
  for (int word = 0; word < 4; ++word) allowed.words[word] &= all.words[word];
  return allowed;
}

std::vector<std::string> lacking(const processor_features& needed, const processor_features& there) {
  std::vector<std::string> names;
  const auto add = [&names](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (int word = 0; word < 4; ++word) {
    std::uint64_t missing = needed.words[word] & ~there.words[word];
    if (word == 2) missing &= states;
    for (int bit = 0; bit < 64; ++bit) {
      if ((missing >> bit & 1) == 0) continue;
      const auto known = std::find_if(std::begin(features), std::end(features),
                                      [=](const feature& f) { return f.word == word && f.bit == bit; });
      add(known != std::end(features) ? known->name
                                      : "feature " + std::to_string(word) + "." + std::to_string(bit));
    }
  }
  return names;
}

std::string tunables_for(std::string_view level, const std::string& earlier) {
  std::string off;
  for (const feature& f : features)
    if (f.level > number_of(level) && f.tunable[0] != '\0') off += std::string(off.empty() ? "-" : ",-") + f.tunable;
  return (earlier.empty() ? "" : earlier + ":") + "glibc.cpu.hwcaps=" + off;
}

}  // namespace mana::image
