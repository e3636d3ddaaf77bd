// The program's clocks: what the kernel's show, and an offset that a restart sets, so that none goes back on a node
// that was booted later. Times come up from the kernel with it, absolute deadlines go down without it. Usable in the
// stub: no libc, no relocations, all inlined.
#pragma once
#include <mana/lower/abi.hpp>
#include <mana/lower/cross.hpp>
#include <mana/lower/signals.hpp>

#include <ctime>

namespace mana::lower {

inline constexpr std::int64_t ns_per_second = 1'000'000'000;

/// Those that begin at a node's boot, and the processor's time, which begins with a process or thread. Each has an
/// offset of its own, since suspending a node and setting its clock right change them apart. Coarse and alarm clocks
/// have that of the clock that they show.
enum class program_clock : unsigned { monotonic, raw, boottime, process, thread };
inline constexpr unsigned boot_clocks = 3;       // the first of them

struct found_clock {
  bool is_moved;           // false: dates, and clocks that name a process or thread by its id: as the kernel has them
  program_clock which;
};

/// The kernel's own numbers of the calling process's and thread's time, which it tells of a timer.
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

/// t + ns; what is too far off becomes the last second that there is.
/// in:  t  with 0 <= tv_nsec < 10^9
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

/// The kernel's time of a deadline of the program's. One before the kernel's clock began has passed: its first
/// nanosecond stands for that, since 0 would disarm a timer. What is no time is left for the kernel to refuse.
/// in:  offset  ns, what the program's clock is ahead of the kernel's
[[gnu::always_inline]] constexpr timespec kernel_deadline(const timespec& of_program, std::int64_t offset) noexcept {
  if (!is_time(of_program)) return of_program;
  const timespec t = moved(of_program, -offset);
  return t.tv_sec < 0 || (t.tv_sec == 0 && t.tv_nsec == 0) ? timespec{0, 1} : t;
}

/// ns that the program's clock is ahead of the kernel's. On a thread of the program.
[[gnu::always_inline]] inline std::int64_t clock_offset(program_clock which) noexcept {
  if (which == program_clock::process) return the_bridge().process_ahead.ns;
  if (which == program_clock::thread) return this_thread()->time_ahead.ns;
  return the_bridge().clock_offsets[static_cast<unsigned>(which)];
}

}  // namespace mana::lower
