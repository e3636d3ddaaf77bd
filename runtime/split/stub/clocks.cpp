// clock_gettime of a restarted program: the live vDSO's time, plus the offset of the program's clock.
// Freestanding. Usable: the bridge. Not: libc, thread-local storage, relocations.
#include <runtime/split/window/layout.h>

#include <mana/arch/arch.hpp>
#include <mana/lower/program_clocks.hpp>

/// In a section of its own: from the address signals.cpp knows that a clock is being read, and has it read again.
extern "C" [[gnu::visibility("default"), gnu::section(".text.mana_clock"), gnu::noinline]]
int mana_program_clock_gettime(clockid_t clock, timespec* time) {
  const mana::lower::clock_function live = mana::lower::the_bridge().clock_gettime;
  const mana::lower::found_clock found = mana::lower::program_clock_of(clock);
  if (!found.is_moved && clock < 0) {                  // may name a thread by its former id, which a trap knows
    return static_cast<int>(mana::arch::raw_call(STUB_CLOCK_NUMBER, clock, reinterpret_cast<long>(time)));
  }
  if (!found.is_moved) return live(clock, time);
  timespec now;
  const int result = live(clock, &now);
  if (result == 0) *time = mana::lower::moved(now, mana::lower::clock_offset(found.which));
  return result;
}
