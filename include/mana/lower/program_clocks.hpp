// The program's clocks: the kernel's, plus an offset that a restart sets, so that no clock goes back on a node that was
// booted later. The offset is added to the kernel's times and subtracted from the program's absolute deadlines. Usable
// in the stub: no libc, no relocations, all inlined.
#pragma once
#include <mana/lower/abi.hpp>
#include <mana/lower/cross.hpp>
#include <mana/lower/signals.hpp>

#include <ctime>

namespace mana::lower {

inline constexpr std::int64_t ns_per_second = 1'000'000'000;

/// The clocks that begin at a node's boot, and the processor time, which begins with a process or thread. Each has its
/// own offset, because suspending a node and setting its time change them differently. A coarse or alarm clock has the
/// offset of the clock that it shows.
enum class program_clock : unsigned { monotonic, raw, boottime, process, thread };
inline constexpr unsigned boot_clocks = 3;       // the first ones of program_clock

struct found_clock {
  // false: dates, and clocks that name a process or thread by its id: these are the kernel's own
  bool is_moved;
  program_clock which;
};

/// The kernel's numbers for the calling process's and thread's time. It reports them for a timer.
inline constexpr int own_process_clock = -6, own_thread_clock = -2;

[[gnu::always_inline]] constexpr found_clock program_clock_of(int clock) noexcept {
  if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_COARSE) return {true, program_clock::monotonic};
  if (clock == CLOCK_MONOTONIC_RAW) return {true, program_clock::raw};
  if (clock == CLOCK_BOOTTIME || clock == CLOCK_BOOTTIME_ALARM) return {true, program_clock::boottime};
  if (clock == CLOCK_PROCESS_CPUTIME_ID || clock == own_process_clock) return {true, program_clock::process};
  if (clock == CLOCK_THREAD_CPUTIME_ID || clock == own_thread_clock) return {true, program_clock::thread};
  return {false, program_clock::monotonic};
}

[[gnu::always_inline]] constexpr bool is_time(const timespec& t) noexcept {
  return t.tv_sec >= 0 && t.tv_nsec >= 0 && t.tv_nsec < ns_per_second;
}

/// t + ns. A result beyond the last representable second becomes that second.
[[gnu::always_inline]] constexpr timespec moved(timespec t, std::int64_t ns) noexcept {
  std::int64_t carry = ns / ns_per_second, rest = t.tv_nsec + ns % ns_per_second;
  if (rest < 0) {
    rest += ns_per_second;
    --carry;
  } else if (rest >= ns_per_second) {
    rest -= ns_per_second;
    ++carry;
  }
  std::int64_t seconds = 0;
  if (__builtin_add_overflow(t.tv_sec, carry, &seconds)) seconds = carry < 0 ? INT64_MIN : INT64_MAX;
  return {seconds, rest};
}

/// The kernel's time for a deadline of the program. A deadline before the kernel's clock began has passed. It becomes
/// the clock's first nanosecond, since 0 would disarm a timer. An invalid time is left for the kernel to refuse.
/// in:  offset  ns, how far the program's clock is ahead of the kernel's
[[gnu::always_inline]] constexpr timespec kernel_deadline(const timespec& of_program, std::int64_t offset) noexcept {
  if (!is_time(of_program)) return of_program;
  const timespec t = moved(of_program, -offset);
  return t.tv_sec < 0 || (t.tv_sec == 0 && t.tv_nsec == 0) ? timespec{0, 1} : t;
}

/// How far the program's clock is ahead of the kernel's, in ns. Call it on a thread of the program.
[[gnu::always_inline]] inline std::int64_t clock_offset(program_clock which) noexcept {
  if (which == program_clock::process) return the_bridge().process_ahead.ns;
  if (which == program_clock::thread) return this_thread()->time_ahead.ns;
  return the_bridge().clock_offsets[static_cast<unsigned>(which)];
}

}  // namespace mana::lower
