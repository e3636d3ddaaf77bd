// The two registers that each thread has for itself. The register fs is the thread pointer of the half that runs. The
// register gs points to the thread's block: no program on this architecture uses it. If the kernel allows it
// (bridge::has_fsgsbase), an instruction writes them (`by_instruction`); otherwise a system call does.
#pragma once
#include <mana/arch/x86_64/raw_syscall.hpp>

#include <cstdint>

namespace mana::arch {

/// Operations of arch_prctl(2), as in asm/prctl.h.
inline constexpr long set_block_register = 0x1001, set_pointer_register = 0x1002, get_pointer_register = 0x1003,
                      get_block_register = 0x1004;

/// The first word at the address in the block register. Call it only on threads whose register points to a block.
[[gnu::always_inline]] inline void* thread_block() noexcept {
  void* block;
  __asm__("mov %%gs:0, %0" : "=r"(block));
  return block;
}

/// Address of the running half's thread control block. The block's first word is its own address (x86-64 psABI, TLS
/// variant II), and reading that word is cheaper than reading the base register.
[[gnu::always_inline]] inline std::uint64_t thread_pointer() noexcept {
  std::uint64_t value;
  __asm__ volatile("mov %%fs:0, %0" : "=r"(value) : : "memory");
  return value;
}

/// The register itself, for threads where it may be 0 or point to nothing.
[[gnu::always_inline]] inline std::uint64_t read_thread_pointer(bool by_instruction) noexcept {
  std::uint64_t value = 0;
  if (by_instruction) __asm__ volatile("rdfsbase %0" : "=r"(value));
  else raw_call(SYS_arch_prctl, get_pointer_register, reinterpret_cast<long>(&value));
  return value;
}

/// On kernels without the instruction each MPI call runs this twice.
[[gnu::noinline, gnu::cold]] inline void write_thread_pointer_by_call(std::uint64_t value) noexcept {
  raw_call_of_two(SYS_arch_prctl, set_pointer_register, static_cast<long>(value));
}
[[gnu::always_inline]] inline void write_thread_pointer(std::uint64_t value, bool by_instruction) noexcept {
  if (by_instruction) [[likely]] {
    __asm__ volatile("wrfsbase %0" : : "r"(value) : "memory");
  } else {
    write_thread_pointer_by_call(value);
  }
}

/// The block register itself, for threads where it may point to nothing.
[[gnu::always_inline]] inline std::uint64_t read_block_register(bool by_instruction) noexcept {
  std::uint64_t value = 0;
  if (by_instruction) __asm__ volatile("rdgsbase %0" : "=r"(value));
  else raw_call(SYS_arch_prctl, get_block_register, reinterpret_cast<long>(&value));
  return value;
}
inline void write_block_register(std::uint64_t value) noexcept {
  raw_call(SYS_arch_prctl, set_block_register, static_cast<long>(value));
}

}  // namespace mana::arch
