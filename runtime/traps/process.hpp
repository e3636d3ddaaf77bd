// What the upper half may read about itself in /proc.
#pragma once

namespace mana::split {

/// True for the names of the running program's file: /proc/self/exe and its kin. path may be null.
bool names_own_program(const char* path) noexcept;

/// True for /proc/self/cmdline and its kin. path may be null.
bool names_own_arguments(const char* path) noexcept;

/// A new descriptor from which the program's arguments can be read as they are now in its memory. errors: as -errno
long open_own_arguments(long flags) noexcept;

}  // namespace mana::split
