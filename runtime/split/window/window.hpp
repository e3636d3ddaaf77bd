// The maps of the zones in which mmap chooses addresses, and the traps' permissions.
#pragma once
#include <runtime/split/window/window_map.hpp>

namespace mana::split {

window_map& mmap_window() noexcept;
/// The map of the addresses below 2 GiB that MAP_32BIT chooses.
window_map& low_window() noexcept;
/// The one of the two that covers `address`.
window_map& window_at(std::uintptr_t address) noexcept;

/// Reads /proc/self/maps and makes both maps agree with it. Raw system calls only.
/// errors: false if the file cannot be read
bool rebuild_window() noexcept;

/// Whether the upper half may map, unmap or move in `r`. `r` must be inside the window, clear of the bridge and the
/// stub; or below 2 GiB where MAP_32BIT chooses; or inside the program's own fixed segments.
bool belongs_to_upper(address_range r) noexcept;

}  // namespace mana::split
