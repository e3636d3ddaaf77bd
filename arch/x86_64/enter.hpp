// The ways for threads to enter the upper half: as new programs, new threads and handlers.
#pragma once
#include <mana/arch/arch.hpp>

#include <cstdint>

namespace mana::arch {

/// Enters as the kernel enters a new program: no function to call at its end (rdx), no frame above.
[[noreturn, gnu::always_inline]] inline void jump_to_program(std::uint64_t stack, std::uint64_t entry) noexcept {
  __asm__ volatile(
      "mov %[stack], %%rsp\n\t"
      "xor %%edx, %%edx\n\t"
      "xor %%ebp, %%ebp\n\t"
      "jmp *%[entry]"
      : : [stack] "r"(stack), [entry] "r"(entry) : "memory");
  __builtin_unreachable();
}

/// in: frame  of a signal, as rt_sigreturn(2) loads it
[[noreturn, gnu::always_inline]] inline void return_from_signal(void* frame) noexcept {
  __asm__ volatile("mov %0, %%rsp\n\tsyscall" : : "r"(frame), "a"(SYS_rt_sigreturn) : "memory");
  __builtin_unreachable();
}

/// clone(2) of a thread that first loads `frame`, also its stack pointer, with `block` in the block register.
/// out: for the caller, clone's result
[[gnu::always_inline]] inline long clone_into_frame(long flags, std::uintptr_t frame, long parent_tid, long child_tid, long tls,
                                                    void* block) noexcept {
  long result;
  register long r10 __asm__("r10") = child_tid;
  register long r8 __asm__("r8") = tls;
  __asm__ volatile(
      "syscall\n\t"
      "test %%rax, %%rax\n\t"
      "jnz 1f\n\t"
      "mov %[set_gs], %%edi\n\t"
      "mov %[block], %%rsi\n\t"
      "mov %[arch_prctl], %%eax\n\t"
      "syscall\n\t"
      "mov %[sigreturn], %%eax\n\t"
      "syscall\n"
      "1:"
      : "=a"(result)
      : "a"(SYS_clone), "D"(flags), "S"(frame), "d"(parent_tid), "r"(r10), "r"(r8), [block] "r"(block),
        [set_gs] "i"(set_block_register), [arch_prctl] "i"(SYS_arch_prctl), [sigreturn] "i"(SYS_rt_sigreturn)
      : "rcx", "r11", "memory");
  return result;
}

/// Clears the flag AC, which the kernel clears for no handler. The compiler may keep data below the stack pointer.
[[gnu::always_inline]] inline void check_no_alignment() noexcept {
  __asm__ volatile("leaq -128(%%rsp), %%rsp\n\tpushfq\n\tandq $~0x40000, (%%rsp)\n\tpopfq\n\tleaq 128(%%rsp), %%rsp"
                   : : : "cc", "memory");
}

}  // namespace mana::arch
