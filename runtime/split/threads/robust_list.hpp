// The list of robust mutexes that a thread holds. The kernel releases them when the thread ends.
#pragma once
#include <runtime/split/call/program_memory.hpp>

#include <cstdint>

namespace mana::split {

/// Does as the kernel would. in: head  address given to set_robust_list(2), or 0     tid  the thread's id, as in its
/// locks
void release_robust_list(const program_memory& memory, std::uint64_t head, std::int32_t tid) noexcept;

/// After a restart: writes the thread's new id into its locks.
void renumber_robust_list(const program_memory& memory, std::uint64_t head, std::int32_t before,
                          std::int32_t now) noexcept;

}  // namespace mana::split
