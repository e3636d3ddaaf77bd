// LD_PRELOAD brought the wrapper library into this process. The variable is mana's, and must not reach the program's
// children.
#pragma once

namespace mana::wrappers {

/// Removes this library from LD_PRELOAD, and the tools that mana put before it; the user's own entries follow. Removes
/// mana's other variables from the environment. Works in place: the program may define getenv and setenv itself (shells
/// do), and these see nothing yet. The program may also have its environment as an argument of main.
void leave_environment(char** environment) noexcept;

/// In a process without a lower half: starts its program again under mana, if the environment names the command.
/// Otherwise returns.
void find_back(int count, char** arguments, char** environment) noexcept;

}  // namespace mana::wrappers
