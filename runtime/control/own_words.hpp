// What the runtime says on standard error, from whichever table of descriptors.
#pragma once
#include <string>

namespace mana::control {

/// Written at once. A thread with a table of its own has no standard error in it, since who reads the program's waits for its end: it
/// asks for the process's each time, as that may be another by now. Where the initial thread has ended, or the kernel gives none, it
/// is not said.
void say(const std::string& text) noexcept;

}  // namespace mana::control
