// The settings of the launcher's terminal (tcsetattr). If a program has set them, for example to read single keys, a
// restart sets them in its own terminal.
//
// Many programs share a terminal that controls a session. The process reads and sets it only while its group is in the
// foreground. A shell may change it while the job runs in the background: such changes are not the program's.
#pragma once
#include <runtime/process_state/attribute.hpp>

namespace mana::process_state {

/// Of /dev/tty, or else of the first standard descriptor that is a terminal. Empty: no terminal, another than the
/// program began with, or this process may not set it.
words read_terminal();
bool write_terminal(const words& settings);

}  // namespace mana::process_state
