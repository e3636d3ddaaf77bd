// Signal numbers, and values written to the descriptor of requests, that both halves and the stub share.
#pragma once
#include <cstdint>

namespace mana::lower {

/// Parks the threads of the upper half. Programs keep all other signals, because libc reserves this one: through libc
/// they can neither handle, block nor send it. Since libc itself uses it to change the credentials of all threads, a
/// signal without park_value is the program's (INV-71).
inline constexpr int park_signal = 33;
inline constexpr std::uint64_t park_value = 0x4b52'4150'414e'414d;     // "MANAPARK", of siginfo_t, with SI_QUEUE

/// The signal by which libc cancels threads. libc installs its handler at the first cancellation, which may come after
/// threads have parked. So threads hold it back even while it has no handler. Bit n-1: signal n.
inline constexpr std::uint64_t cancel_signal = std::uint64_t{1} << 31;

/// The filter traps system calls with SIGSYS. A SIGSYS with another number in si_errno is the program's (INV-71).
inline constexpr int trap_number = 0x4d41;      // the value that the filter returns with SECCOMP_RET_TRAP

/// Amounts added to the descriptor bridge::requests: to ask for a checkpoint, and to report that the program was told
/// to end.
constexpr std::uint64_t request_amount(bool stop) noexcept { return stop ? std::uint64_t{1} << 32 : 1; }
inline constexpr std::uint64_t told_to_end_amount = std::uint64_t{1} << 48;
constexpr bool asks(std::uint64_t sum) noexcept { return sum % told_to_end_amount != 0; }
constexpr bool asks_to_stop(std::uint64_t sum) noexcept { return sum % told_to_end_amount >= request_amount(true); }
constexpr bool tells_of_end(std::uint64_t sum) noexcept { return sum >= told_to_end_amount; }

/// The signals that tell a program to end. They come from a closed terminal or its user (HUP, INT, QUIT), a batch
/// system or a launcher (TERM), or the kernel when processor time is used up (XCPU). SIGKILL follows some of them soon.
/// All other signals also come while a program runs normally, so they do not tell it to end. Bit n-1: signal n.
inline constexpr std::uint64_t end_signals = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 14 | 1u << 23;

}  // namespace mana::lower
