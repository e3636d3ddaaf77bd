// The one map of the window's mmap zone, and what the traps may do where.
#pragma once
#include "window_map.hpp"

namespace mana::split {

window_map& mmap_window() noexcept;

/// Reads /proc/self/maps and makes mmap_window() agree with it. Raw system calls only.
/// errors: false if the file cannot be read
bool rebuild_window() noexcept;

/// True if the upper half may map, unmap or move in `r`: inside the window, clear of the bridge and the stub, or inside
/// the program's own fixed segments.
bool belongs_to_upper(address_range r) noexcept;

}  // namespace mana::split
