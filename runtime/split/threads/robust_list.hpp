// The list of robust mutexes that a thread holds, by which the kernel releases them at its end.
#pragma once
#include <runtime/split/call/program_memory.hpp>

#include <cstdint>

namespace mana::split {

/// As the kernel would. head: address given to set_robust_list(2), or 0. tid: the thread's id, as it stands in its locks.
void release_robust_list(const program_memory& memory, std::uint64_t head, std::int32_t tid) noexcept;

/// After a restart: its locks have the thread's new id.
void renumber_robust_list(const program_memory& memory, std::uint64_t head, std::int32_t before,
                          std::int32_t now) noexcept;

}  // namespace mana::split
