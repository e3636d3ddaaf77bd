// How many threads of the upper half there are.
#pragma once
#include <atomic>
#include <cstdint>

namespace mana::split {

inline constinit std::atomic<std::uint32_t> live_threads{0};

/// No thread of the program but the caller is in this process, nor comes before the caller makes one.
inline bool has_one_thread() noexcept { return live_threads.load(std::memory_order_acquire) == 1; }

}  // namespace mana::split
