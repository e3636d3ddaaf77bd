// System calls without libc.
#pragma once
#include <sys/syscall.h>

namespace mana::drain {

/// Raw: usable on any stack, in any state of libc.
inline long raw_syscall(long number, long a = 0, long b = 0, long c = 0, long d = 0) noexcept {
  long result = 0;
  register long r10 __asm__("r10") = d;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10) : "rcx", "r11", "memory");
  return result;
}

}  // namespace mana::drain
