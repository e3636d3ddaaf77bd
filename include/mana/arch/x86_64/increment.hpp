// A counter in memory, advanced by one instruction.
#pragma once
#include <cstdint>

namespace mana::arch {

/// One instruction, where compilers make three of a relaxed load and a store. Not atomic among threads, but a signal
/// handler never sees it half done.
template <class Word>
[[gnu::always_inline]] inline void increment(Word& counter) noexcept {
  static_assert(sizeof counter == sizeof(std::uint64_t));
  __asm__ volatile("incq %0" : "+m"(counter));
}

}  // namespace mana::arch
