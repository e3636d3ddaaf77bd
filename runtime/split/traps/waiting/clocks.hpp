// Clocks in system calls, and numbers of calls that the C library's headers may not know yet.
#pragma once

namespace mana::split {

inline constexpr long number_of_futex_waitv = 449;
inline constexpr long number_of_futex_wait = 455;

/// The kernel's number of the program's `clock`: the number of a thread's or process's clock may contain an earlier id.
int kernels_clock(int clock) noexcept;

}  // namespace mana::split
