// How many filters of system calls this process has without any of the program's: the launcher's, and mana's.
#pragma once

namespace mana::split {

/// Before the program runs, or runs again, when mana's is in force.
void note_own_filters() noexcept;
/// It has one more.
void note_another_own_filter() noexcept;
/// As /proc/self/status counts them. More than can be, where the kernel does not (before Linux 5.9).
unsigned long own_filters() noexcept;

}  // namespace mana::split
