// Registers of an interrupted thread, and system calls as instructions: x86-64.
#pragma once
#include <ucontext.h>

#include <linux/audit.h>

#include <cstdint>
#include <cstring>

namespace mana::arch {

using register_word = greg_t;

inline register_word* registers(ucontext_t& context) noexcept { return context.uc_mcontext.gregs; }
inline const register_word* registers(const ucontext_t& context) noexcept { return context.uc_mcontext.gregs; }

// Indices of registers().
inline constexpr int instruction = REG_RIP, stack = REG_RSP;
inline constexpr int result = REG_RAX;                                  // before a system call: its number
inline constexpr int argument[6] = {REG_RDI, REG_RSI, REG_RDX, REG_R10, REG_R8, REG_R9};       // of a system call
inline constexpr int spoiled_by_call[2] = {REG_RCX, REG_R11};           // arguments of the stub's wait
inline constexpr int general[] = {REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI, REG_RBP, REG_R8,
                                  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
/// Registers that may hold a thread's id while it waits in futex(2): all except that call's address, its number, and
/// those it spoils.
inline constexpr int free_in_futex[] = {REG_RBX, REG_RBP, REG_RSI, REG_RDX, REG_R8, REG_R9, REG_R10, REG_R12, REG_R13,
                                        REG_R14, REG_R15};
/// The arguments of a handler: signal, siginfo, ucontext.
inline constexpr int handler_argument[3] = {REG_RDI, REG_RSI, REG_RDX};

inline constexpr std::uint32_t audit = AUDIT_ARCH_X86_64;

/// Size of the instruction that makes a system call.
inline constexpr int call_bytes = 2;
inline bool is_call(const unsigned char* code) noexcept { return code[0] == 0x0f && code[1] == 0x05; }

/// Number of the call that ended at `behind`.
/// in:  behind  an instruction, readable up to seven bytes before
/// out: -1 if the code before is not `mov $number,%eax; syscall`
inline long number_of_call_before(const unsigned char* behind) noexcept {
  constexpr unsigned char mov_to_eax = 0xb8;
  unsigned char code[7];
  __builtin_memcpy(code, behind - sizeof code, sizeof code);
  if (code[0] != mov_to_eax || !is_call(code + 5)) return -1;
  std::int32_t number = -1;
  __builtin_memcpy(&number, code + 1, sizeof number);
  return number;
}

/// Bytes below the stack pointer that the compiler may use.
inline constexpr std::uint64_t red_zone_bytes = 128;

/// The longest instruction that names_thread_word() recognises.
inline constexpr std::size_t most_thread_word_bytes = 9;
/// Whether the instruction is `op %fs:displacement`: an access to a word at that distance from the thread pointer.
inline bool names_thread_word(const unsigned char* code, std::int32_t displacement) noexcept {
  const bool wide = code[1] >> 4 == 4;                         // a REX prefix
  const unsigned char* const operand = code + (wide ? 3 : 2);  // behind the opcode
  return code[0] == 0x64 && (operand[0] & 0xc7) == 0x04 && operand[1] == 0x25 &&
         std::memcmp(operand + 2, &displacement, sizeof displacement) == 0;
}

}  // namespace mana::arch
