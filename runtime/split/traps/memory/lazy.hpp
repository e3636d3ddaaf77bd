// Memory that a lazy restart mapped from the images' files. To the program it is its former anonymous memory. To the
// kernel it is a file's memory, and has other mappings than the program made. Calls that would show the difference are
// carried out in another way.
//
// INV-40 memory that was mapped from an image behaves as the memory that was saved. Given back, it is zeros, and keeps
// its advice. Its growth is zeros. Moved, it is one mapping.
#pragma once
#include <runtime/split/call/trap.hpp>

#include <runtime/split/window/window_map.hpp>

namespace mana::split {

/// This memory was mapped from an image's file.
void note_lazy(address_range memory) noexcept;
/// The kernel has several mappings for one of the program's.
void note_cut(address_range memory) noexcept;
/// The program has mapped something else there, or nothing. Costs a load if nothing is lazy.
void forget_lazy(address_range memory) noexcept;

/// Around fork, so that the child's copy is complete.
void lock_lazy() noexcept;
void unlock_lazy() noexcept;

/// Whether some of this process's memory is mapped from an image.
bool has_lazy() noexcept;
/// Whether any of `memory` is mapped from an image, or is in several mappings for one.
bool is_lazy(address_range memory) noexcept;
bool touches_cut(address_range memory) noexcept;

/// madvise, for this process's memory, lazy or not.
long advise_maybe_lazy(std::uintptr_t begin, std::size_t bytes, long advice) noexcept;

/// Copies `old` to `to`, which it replaces by one mapping. Then `old` is unmapped or, with keeps_old, empty.
/// errors: -errno; nothing was changed, except at `to`
long move_by_copy(const trap& t, address_range old, address_range to, bool keeps_old) noexcept;

}  // namespace mana::split
