// The program's mappings without a reservation (MAP_NORESERVE). The kernel shows the flag only in /proc/self/smaps, for
// which it walks all page tables. Therefore the traps record each mapping that is made or removed. One mapping of the
// kernel's has the flag completely or not at all.
//
// INV-84 after a restart the program's memory has no reservation where the program asked for none. Other memory is
// accounted as before, or the restart says that the kernel refuses the reservation.
#pragma once
#include <runtime/split/window/window_map.hpp>

#include <optional>
#include <vector>

namespace mana::split {

/// A mapping was made in place of the earlier memory, or the memory was unmapped (is_unreserved: false). Never calls
/// malloc.
void note_reservation(address_range r, bool is_unreserved) noexcept;
/// The mapping at `from` is now at `to`, perhaps at both, shorter or longer.
void copy_reservation(address_range from, address_range to) noexcept;

/// Of the mapping at this address.
bool is_unreserved(std::uintptr_t at) noexcept;
/// MAP_NORESERVE or 0.
int reservation_flag(std::uintptr_t at) noexcept;

/// All unreserved memory, ascending. Nothing: unknown, since there was too much; then all memory counts as unreserved.
std::optional<std::vector<address_range>> unreserved_memory();
/// In a new process.     in: nothing, as for images of earlier versions: all memory is unreserved
void set_unreserved_memory(const std::optional<std::vector<address_range>>& ranges) noexcept;

/// Around fork, so that the child's copy is complete.
void lock_reservations() noexcept;
void unlock_reservations() noexcept;

}  // namespace mana::split
