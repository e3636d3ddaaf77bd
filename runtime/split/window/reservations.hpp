// Which of the program's mappings it asked for without a reservation (MAP_NORESERVE). The kernel tells only in
// /proc/self/smaps, for which it walks all page tables; so the traps take notice of each mapping that is made or goes. One
// mapping of the kernel's is all with the flag, or all without.
//
// INV-84 after a restart the program's memory is without a reservation where the program asked for none, and accounted
// elsewhere as it was; where the kernel will not promise what it had promised, the restart says so.
#pragma once
#include <runtime/split/window/window_map.hpp>

#include <optional>
#include <vector>

namespace mana::split {

/// A mapping was made in the place of what was there, or nothing is there any more (is_unreserved: false). Never calls
/// malloc.
void note_reservation(address_range r, bool is_unreserved) noexcept;
/// What was mapped at `from` is at `to` now, or too, shorter or longer.
void copy_reservation(address_range from, address_range to) noexcept;

/// Of the mapping at this address.
bool is_unreserved(std::uintptr_t at) noexcept;
/// MAP_NORESERVE or 0.
int reservation_flag(std::uintptr_t at) noexcept;

/// All that is unreserved, ascending. Nothing: it is not known, there were too many; then all counts as unreserved.
std::optional<std::vector<address_range>> unreserved_memory();
/// In a new process.     in: nothing, as in images of earlier versions: all is
void set_unreserved_memory(const std::optional<std::vector<address_range>>& ranges) noexcept;

/// Around fork, so that the child's copy is whole.
void lock_reservations() noexcept;
void unlock_reservations() noexcept;

}  // namespace mana::split
