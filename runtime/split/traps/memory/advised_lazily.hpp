// Records the program's advice about regions that are partly mapped from an image (touches_cut), if a mapping keeps
// that kind of advice. Memory that replaces the mapping gets the same advice.
#pragma once
#include <runtime/split/window/window_map.hpp>

namespace mana::split {

/// The kernel has accepted the advice.
void note_advised(address_range memory, long advice) noexcept;
/// The program has mapped something else there. Costs a load if nothing was advised.
void forget_advised(address_range memory) noexcept;
/// Gives the memory at `at` the advice of `of`.
void advise_again(address_range of, std::uintptr_t at) noexcept;

/// Around fork.
void lock_advised() noexcept;
void unlock_advised() noexcept;

}  // namespace mana::split
