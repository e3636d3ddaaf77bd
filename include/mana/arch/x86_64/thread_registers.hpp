// The two registers that are each thread's own: fs, the thread pointer of whichever half runs, and gs, which no program on this
// architecture uses: the thread's block. Writing them by an instruction is for kernels that allow it (`by_instruction`,
// bridge::has_fsgsbase); the others are asked.
#pragma once
#include <mana/arch/x86_64/raw_syscall.hpp>

#include <cstdint>

namespace mana::arch {

/// Of arch_prctl(2), as asm/prctl.h has them.
inline constexpr long set_block_register = 0x1001, set_pointer_register = 0x1002, get_pointer_register = 0x1003,
                      get_block_register = 0x1004;

/// The first word of what the block register names. Only on threads where it names something.
[[gnu::always_inline]] inline void* thread_block() noexcept {
  void* block;
  __asm__("mov %%gs:0, %0" : "=r"(block));
  return block;
}

/// Address of the running half's thread control block: the first word of it is its own address (x86-64 psABI, TLS variant II),
/// which is cheaper to read than the base register.
[[gnu::always_inline]] inline std::uint64_t thread_pointer() noexcept {
  std::uint64_t value;
  __asm__ volatile("mov %%fs:0, %0" : "=r"(value) : : "memory");
  return value;
}

/// The register itself: where it may be 0, or name nothing.
[[gnu::always_inline]] inline std::uint64_t read_thread_pointer(bool by_instruction) noexcept {
  std::uint64_t value = 0;
  if (by_instruction) __asm__ volatile("rdfsbase %0" : "=r"(value));
  else raw_call(SYS_arch_prctl, get_pointer_register, reinterpret_cast<long>(&value));
  return value;
}

/// Twice in each call of MPI, on kernels that leave no other way.
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

/// The block register itself, where it may name nothing.
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
