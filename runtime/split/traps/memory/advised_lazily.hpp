// Advice that the program gave about memory of a region that is partly mapped from an image (touches_cut), and what of such advice
// stays with a mapping. What takes the mapping's place is to have it too.
#pragma once
#include <runtime/split/window/window_map.hpp>

namespace mana::split {

/// The kernel took it.
void note_advised(address_range memory, long advice) noexcept;
/// There is something else now, which the program made. Costs a load where none was advised.
void forget_advised(address_range memory) noexcept;
/// Gives memory at `at` the advice that `of` has.
void advise_again(address_range of, std::uintptr_t at) noexcept;

/// Around fork.
void lock_advised() noexcept;
void unlock_advised() noexcept;

}  // namespace mana::split
