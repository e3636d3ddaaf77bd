// What the upper half may read about itself in /proc.
#pragma once

namespace mana::split {

/// True for the names of the running program's file: /proc/self/exe and its kin. path may be null.
bool names_own_program(const char* path) noexcept;

}  // namespace mana::split
