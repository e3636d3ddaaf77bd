// System calls without libc.
#pragma once
#include <sys/syscall.h>

namespace mana::arch {

/// Usable on any stack, under either thread pointer, in any state of libc.
/// out: the kernel's answer: a result, or -errno
[[gnu::always_inline]] inline long raw_call(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                                            long f = 0) noexcept {
  long result;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

/// A call with two arguments. It leaves the other registers as they are, so the caller need not set them.
[[gnu::always_inline]] inline long raw_call_of_two(long number, long a, long b) noexcept {
  long result;
  __asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b) : "rcx", "r11", "memory");
  return result;
}

}  // namespace mana::arch
