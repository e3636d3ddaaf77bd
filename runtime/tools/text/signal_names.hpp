// Signals as users name them.
#pragma once
#include <cstdint>
#include <string>

namespace mana::tools {

/// Names (USR1, SIGUSR1) or numbers, separated by commas; only signals that are sent to processes, none that says what a
/// program itself did wrong, and none that the kernel, libc or mana keeps for itself.
/// out: bit n-1 for signal n       errors: failure (usage), which names the word
std::uint64_t parse_signals(const std::string& text);

}  // namespace mana::tools
