// The signal that makes a thread of the program park.
#pragma once

namespace mana::split {

/// Sends it to a thread of this process. It arrives even if the user's pending signals have used up their limit.
void send_park_signal(int tid) noexcept;

}  // namespace mana::split
