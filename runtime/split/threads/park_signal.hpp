// How a thread of the program is told to park.
#pragma once

namespace mana::split {

/// To a thread of this process. It arrives although the user's signals that wait have taken all the room that there is.
void send_park_signal(int tid) noexcept;

}  // namespace mana::split
