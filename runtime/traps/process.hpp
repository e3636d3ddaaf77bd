// What the upper half may read about itself in /proc, and what its children do not get.
#pragma once

namespace mana::split {

/// True for the names of the running program's file: /proc/self/exe and its kin. path may be null.
/// Whoever wants to know hears that this process is about to execute `path` without mana.
void tell_of_exec(const char* path) noexcept;
bool names_own_program(const char* path) noexcept;

/// True for /proc/self/cmdline and its kin. path may be null.
bool names_own_arguments(const char* path) noexcept;

/// A new descriptor from which the program's arguments can be read as they are now in its memory. errors: as -errno
long open_own_arguments(long flags) noexcept;

/// A descriptor of the lower half that stands for this process: its copies in children would keep what it holds after
/// the process has ended. One at most; negative: none.
void close_in_forked_children(int fd) noexcept;
/// In a forked child that has a table of descriptors of its own.
void close_what_stands_for_parent() noexcept;

}  // namespace mana::split
