// The number of filters of system calls that do not come from the program: the launcher's, and mana's.
#pragma once

namespace mana::split {

/// Call it before the program runs, or runs again, when mana's filter is in force.
void note_own_filters() noexcept;
/// mana has installed another one.
void note_another_own_filter() noexcept;
/// As /proc/self/status counts them. Linux before 5.9 does not count: then a number larger than any possible one.
unsigned long own_filters() noexcept;

}  // namespace mana::split
