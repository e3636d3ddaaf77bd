// Writes the runtime's text to standard error, from any table of descriptors.
#pragma once
#include <string>

namespace mana::control {

/// Writes the text at once. A thread with its own table has no standard error in it, because a reader of the program's
/// output waits for the end of that file. Such a thread gets the process's standard error each time, as the program may
/// replace it. The text is lost if standard error is a socket, and the kernel bars pidfd_getfd or the initial thread
/// has ended.
void say(const std::string& text) noexcept;

}  // namespace mana::control
