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

/// A futex: its thread puts it back to none when it has looked.
inline std::atomic<look_order>& look_order_of(thread_block& thread) noexcept { return thread.look; }

/// A futex, for which all parked threads wait. Changes after what they look for then: their orders, bridge::release_epoch.
inline std::atomic<std::uint32_t>& turns_of_parked(bridge& b) noexcept { return b.parked_turns; }

}  // namespace mana::lower
