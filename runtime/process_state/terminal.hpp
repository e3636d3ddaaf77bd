// The settings of the launcher's terminal (tcsetattr): a program that has set them, to take keys one by one say, finds them so in
// the terminal that it is restarted from.
//
// A terminal that controls a session is many programs': the process looks at it, and sets it, while its group is the one in
// the foreground. What a shell does to it while the job runs in the background is not the program's.
#pragma once
#include <runtime/process_state/attribute.hpp>

namespace mana::process_state {

/// Of /dev/tty, or else of the first of the standard three that is a terminal. Empty: there is none, it is another than the one that
/// the program began with, or is not this process's to set.
words read_terminal();
bool write_terminal(const words& settings);

}  // namespace mana::process_state
