// Memory that a lazy restart mapped from the images' files. To the program it is the anonymous memory that it was; to the kernel
// it is of a file, and lies in other mappings than those that the program made. Calls that would show the difference are
// carried out another way.
//
// INV-40 memory that was mapped from an image behaves as the memory that was saved: given back, it is zeros, and what
// it was advised it stays; grown, what is
// new is zeros; moved, it is one mapping.
#pragma once
#include <runtime/split/call/trap.hpp>

#include <runtime/split/window/window_map.hpp>

namespace mana::split {

/// Mapped from an image's file.
void note_lazy(address_range memory) noexcept;
/// The kernel has several mappings where the program made one.
void note_cut(address_range memory) noexcept;
/// The program mapped something else there, or nothing. Costs a load where nothing is lazy.
void forget_lazy(address_range memory) noexcept;

/// Around fork, so that the child's copy is whole.
void lock_lazy() noexcept;
void unlock_lazy() noexcept;

/// True if some of this process' memory is mapped from an image.
bool has_lazy() noexcept;
/// True if any of `memory` is, or lies in several mappings.
bool is_lazy(address_range memory) noexcept;
bool touches_cut(address_range memory) noexcept;

/// madvise, of this process' memory, lazy or not.
long advise_maybe_lazy(std::uintptr_t begin, std::size_t bytes, long advice) noexcept;

/// Copies `old` to `to`, which is taken for it, as one mapping of new_bytes; then `old` is unmapped, or (keeps_old) empty.
/// errors: -errno; nothing was changed but what was at `to`
long move_by_copy(const trap& t, address_range old, address_range to, bool keeps_old) noexcept;

}  // namespace mana::split
