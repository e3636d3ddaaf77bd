// Clocks in system calls, and numbers of calls that the C library's headers may not know yet.
#pragma once

namespace mana::split {

inline constexpr long number_of_futex_waitv = 449;
inline constexpr long number_of_futex_wait = 455;

/// The kernel's number of what the program calls `clock`: one that contains the id of a thread or process may have the id of before.
int kernels_clock(int clock) noexcept;

}  // namespace mana::split
