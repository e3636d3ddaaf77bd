// Numbers of system calls that the C library's headers may not know yet.
#pragma once

namespace mana::split {

inline constexpr long number_of_futex_waitv = 449;
inline constexpr long number_of_futex_wait = 455;

}  // namespace mana::split
