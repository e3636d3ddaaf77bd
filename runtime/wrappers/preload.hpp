// How the wrapper library came into this process: by LD_PRELOAD, which is mana's, and not to be the program's
// children's.
#pragma once

namespace mana::wrappers {

/// Takes out of LD_PRELOAD this library, and the tools that stand before it because mana put them there; what follows
/// is the user's own. Takes out of the environment what is mana's beside. In place: the program may have functions of
/// its own with the names of getenv and setenv (shells do), which see nothing yet, and it may have its environment as
/// an argument of main.
void leave_environment(char** environment) noexcept;

/// In a process without a lower half: starts its program anew under mana, if the environment says by whom. Returns if
/// not.
void find_back(int count, char** arguments, char** environment) noexcept;

}  // namespace mana::wrappers
