// The number of threads of the upper half.
#pragma once
#include <atomic>
#include <cstdint>

namespace mana::split {

inline constinit std::atomic<std::uint32_t> live_threads{0};

/// Whether the caller is the only thread of the program in this process. Then it stays so until the caller makes one.
inline bool has_one_thread() noexcept { return live_threads.load(std::memory_order_acquire) == 1; }

}  // namespace mana::split
