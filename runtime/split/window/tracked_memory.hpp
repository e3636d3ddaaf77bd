// Whether write protection tracks the program's memory. The kernel has two mappings for tracked memory and new memory
// beside it, where the program has one.
#pragma once
#include <atomic>

namespace mana::split {

/// For this process. Never reset: mappings stay apart when tracking ends.
inline constinit std::atomic<bool> memory_was_tracked{false};

}  // namespace mana::split
