// Robust mutexes of a thread that ends, released as the kernel would.
#pragma once
#include <cstdint>

namespace mana::split {

/// head: address given to set_robust_list(2), or 0. tid: the thread's id, as it stands in its locks.
void release_robust_list(std::uint64_t head, std::int32_t tid) noexcept;

}  // namespace mana::split
