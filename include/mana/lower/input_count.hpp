// The count of what was taken of the launcher's standard input, in a file without a name: all processes of the program's that
// mana has map it, and those that it starts on their way.
#pragma once
#include <atomic>
#include <cstdint>

namespace mana::lower {

struct input_count {
  std::atomic<std::uint64_t> bytes;
  std::atomic<std::uint32_t> others;       // bits: who is not seen
};

inline constexpr std::uint32_t others_had_input = 1;         // and nothing was seen to be there to read
inline constexpr std::uint32_t others_may_have_read = 2;

}  // namespace mana::lower
