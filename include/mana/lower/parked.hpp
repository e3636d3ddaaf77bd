// What a thread that is parked is told: that it is let go, or that it is to look once more at what waits for it.
//
// INV-69 what an image says of the signals that wait for a thread is what waited when no thread of the program ran any more. A
// thread that has parked may be sent more until the last one has, and by handlers and hooks that run behind the line. So
// whoever makes the image has those threads look at its beginning for which a signal waits: the kernel tells what came with
// one to its thread alone.
#pragma once
#include <mana/lower/abi.hpp>
#include <mana/lower/signals.hpp>

namespace mana::lower {

/// Of a parked thread. unknown: its wrapper library does not look.
enum class look_order : std::uint32_t { unknown = 0, none = 1, look = 2 };

namespace detail {

/// A futex in a slot of 64 bits, which nothing accesses as those.
template <class Word>
std::atomic<Word>& word_in(std::uint64_t& slot) noexcept {
  void* place = &slot;
  asm("" : "+r"(place));
  return *static_cast<std::atomic<Word>*>(place);
}

}  // namespace detail

/// A futex: its thread puts it back to none when it has looked.
inline std::atomic<look_order>& look_order_of(thread_block& thread) noexcept {
  return detail::word_in<look_order>(thread.reserved[slot_look_order]);
}

/// A futex, for which all parked threads wait. Changes after what they look for then: their orders, bridge::release_epoch.
inline std::atomic<std::uint32_t>& turns_of_parked(bridge& b) noexcept {
  return detail::word_in<std::uint32_t>(b.reserved[slot_parked_turns]);
}

}  // namespace mana::lower
