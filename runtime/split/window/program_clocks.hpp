// The program's clocks across a checkpoint. INV-60 to the program none of them goes back, and a wait until a time of
// one ends then: clocks go on from where they were at the line, as if no time had passed until a restart.
//
// An image has what they showed at its line. Ranks of a node, which natively read one clock, still do if they are on
// one node again: they have one offset, the greatest that one of them needs. In a process without an offset nothing is
// different: the vDSO table names the live kernel's functions, and the filter lets calls about times pass.
#pragma once
#include <mana/lower/program_clocks.hpp>

namespace mana::split {

/// Of the program that starts: its clocks are ahead of the kernel's by what MANA_CLOCKS_AHEAD (s) says, so that a test
/// restarts it on what is to it a node that was booted later.
void begin_clocks() noexcept;

/// True if the program's clocks are to have offsets in this process: decides what the filter traps.
bool has_moved_clocks() noexcept;

/// Right before the image is written, after all that says how long timers have to go: what the clocks show.
void note_clocks() noexcept;

/// What the program's clocks are ahead of the kernel's.
struct clock_offsets {
  std::int64_t clocks[lower::boot_clocks];         // ns
  std::int64_t ticks;                              // of times()
};

/// How the clocks of the image in memory go on.
struct continued_clocks {
  std::uint64_t known;                             // 0: they are the kernel's, as the image has no note
  std::uint64_t then, now;                         // processes with the same had, and have, the same clocks
  clock_offsets least;                             // with these no clock of this process's goes back
};
continued_clocks clocks_to_continue() noexcept;

/// In a new process, before the program runs on: what its clocks show from now on.
void continue_clocks(const clock_offsets& offsets) noexcept;

/// The processor's time that a thread of the program has used: noted by itself when it parks, continued by itself in a
/// new process before it enters the upper half. What the restart used is no time of the program's.
void note_thread_time(lower::thread_block& self) noexcept;
void continue_thread_time(lower::thread_block& self) noexcept;

/// In a forked child, which has used none.
void forget_processor_time(lower::thread_block& self) noexcept;

/// What is left for a timer by a clock that begins at the boot that had so long to go at the line: its time is that
/// clock's. By others as much as then; 0 stays 0, of one that stands.
timespec left_since_line(const timespec& then, int clock) noexcept;

}  // namespace mana::split
