// Signal numbers, and what is written to the descriptor of requests, that both halves and the stub agree on.
#pragma once
#include <cstdint>

namespace mana::lower {

/// Parks the threads of the upper half. libc keeps this signal to itself: programs can neither handle, block nor send it by
/// libc's functions, so all others are theirs. libc has all threads change their credentials by it: what does not come with
/// park_value is the program's (INV-71).
inline constexpr int park_signal = 33;
inline constexpr std::uint64_t park_value = 0x4b52'4150'414e'414d;     // "MANAPARK", of siginfo_t, with SI_QUEUE

/// libc's, by which it cancels threads. Its handler is there only from the first time on, which may come when threads have
/// parked already: so they hold it back whether it is handled or not. Bit n-1: signal n.
inline constexpr std::uint64_t cancel_signal = std::uint64_t{1} << 31;

/// SIGSYS is what system calls are trapped by. One with another number in si_errno is the program's (INV-71).
inline constexpr int trap_number = 0x4d41;      // what the filter returns beside SECCOMP_RET_TRAP

/// What is added to bridge::requests' descriptor: for a checkpoint, and where the program has been told to end.
constexpr std::uint64_t request_amount(bool stop) noexcept { return stop ? std::uint64_t{1} << 32 : 1; }
inline constexpr std::uint64_t told_to_end_amount = std::uint64_t{1} << 48;
constexpr bool asks(std::uint64_t sum) noexcept { return sum % told_to_end_amount != 0; }
constexpr bool asks_to_stop(std::uint64_t sum) noexcept { return sum % told_to_end_amount >= request_amount(true); }
constexpr bool tells_of_end(std::uint64_t sum) noexcept { return sum >= told_to_end_amount; }

/// Those that tell a program to end: from a terminal that is closed or at which somebody wants no more of it (HUP, INT,
/// QUIT), from a batch system or a launcher (TERM), from the kernel when processor time is up (XCPU). SIGKILL follows some of
/// them soon. All others come in the course of a program too, and tell nothing. Bit n-1: signal n.
inline constexpr std::uint64_t end_signals = 1u << 0 | 1u << 1 | 1u << 2 | 1u << 14 | 1u << 23;

}  // namespace mana::lower
