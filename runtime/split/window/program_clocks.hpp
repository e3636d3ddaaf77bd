// The program's clocks across a checkpoint.
//
// INV-60 to the program no clock goes back across a restart, and a wait until a time of one ends then. Clocks continue
// with their values at the line, as if no time had passed until a restart.
//
// An image has the clocks' values at its line. Natively the ranks of a node read one clock. If they are on one node
// again, they still do: they share the greatest offset that one of them needs. In a process without offsets nothing
// differs: the vDSO table names the live kernel's functions, and the filter lets calls about times pass.
#pragma once
#include <mana/lower/program_clocks.hpp>

namespace mana::split {

/// At the program's start: puts its clocks ahead of the kernel's by MANA_CLOCKS_AHEAD (s). A test uses this to restart
/// the program on what looks like a node that was booted later.
void begin_clocks() noexcept;

/// Whether the program's clocks have offsets in this process; decides which calls the filter traps.
bool has_moved_clocks() noexcept;

/// Records the clocks' values. Call it right before the image is written, after all that records the remaining times of
/// timers.
void note_clocks() noexcept;

/// The program's clocks minus the kernel's.
struct clock_offsets {
  std::int64_t clocks[lower::boot_clocks];         // ns
  std::int64_t ticks;                              // of times()
};

/// How the clocks of the image in memory continue.
struct continued_clocks {
  std::uint64_t known;                             // 0: they are the kernel's, as the image has no record
  std::uint64_t then, now;                         // equal in processes that had, or have, the same clocks
  clock_offsets least;                             // the least offsets with which no clock of this process goes back
};
continued_clocks clocks_to_continue() noexcept;

/// In a new process, before the program continues: sets the offsets of its clocks.
void continue_clocks(const clock_offsets& offsets) noexcept;

/// The processor time that a thread of the program has used. The thread records it when it parks, and continues it in a
/// new process before it enters the upper half. Time that the restart used does not count.
void note_thread_time(lower::thread_block& self) noexcept;
void continue_thread_time(lower::thread_block& self) noexcept;

/// In a forked child, which has used none.
void forget_processor_time(lower::thread_block& self) noexcept;

/// The time that a timer has left, if it had `then` left at the line. A timer by a clock that begins at the boot loses
/// the time by which the program's clock has advanced since. Other timers have `then` left. 0, a stopped timer, stays
/// 0.
timespec left_since_line(const timespec& then, int clock) noexcept;

}  // namespace mana::split
