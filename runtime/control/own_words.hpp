// What the runtime says on standard error, from whichever table of descriptors.
#pragma once
#include <string>

namespace mana::control {

/// Written at once. A thread with a table of its own has no standard error in it, since who reads the program's waits for its end: it
/// asks for the process's each time, as that may be another by now. It is lost where the kernel bars pidfd_getfd, or the initial thread
/// has ended, and standard error is a socket.
void say(const std::string& text) noexcept;

}  // namespace mana::control
