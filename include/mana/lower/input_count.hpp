// Counts the bytes that were read from the launcher's standard input, in a file without a name. All processes of the
// program that mana controls map the file. Processes that the program has started, but that have not run a program yet,
// map it too.
#pragma once
#include <atomic>
#include <cstdint>

namespace mana::lower {

struct input_count {
  std::atomic<std::uint64_t> bytes;
  std::atomic<std::uint32_t> others;       // bits: of readers that mana does not count
};

// such a reader had the input, but no unread input was seen
inline constexpr std::uint32_t others_had_input = 1;
inline constexpr std::uint32_t others_may_have_read = 2;

}  // namespace mana::lower
