// Whether write protection tracks the program's memory. To the kernel a tracked mapping and a new one beside it are two, where
// the program has one.
#pragma once
#include <atomic>

namespace mana::split {

/// Of this process. Never reset: mappings stay apart when tracking ends.
inline constinit std::atomic<bool> memory_was_tracked{false};

}  // namespace mana::split
