// Orders for a parked thread: to continue, or to look again at the signals that wait for it.
//
// INV-69 an image has the signals that waited for each thread when no thread of the program ran any longer. After a
// thread has parked, threads that are not parked yet may send it signals, and so may handlers and hooks behind the line.
// So at its beginning, the writer of the image makes those threads look which signals wait for them.
// The kernel shows the data of a pending signal only to the signal's thread.
#pragma once
#include <mana/lower/abi.hpp>
#include <mana/lower/signals.hpp>

namespace mana::lower {

/// A futex: the thread sets it to none when it has looked.
inline std::atomic<look_order>& look_order_of(thread_block& thread) noexcept { return thread.look; }

/// A futex on which all parked threads wait. It changes after the data that they then read: their orders,
/// bridge::release_epoch.
inline std::atomic<std::uint32_t>& turns_of_parked(bridge& b) noexcept { return b.parked_turns; }

}  // namespace mana::lower
