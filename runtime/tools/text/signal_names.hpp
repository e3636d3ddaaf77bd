// Signals as users name them.
#pragma once
#include <cstdint>
#include <string>

namespace mana::tools {

/// in:  names (USR1, SIGUSR1) or numbers, separated by commas. Only signals that other processes send: no signal for an
///      error of the program itself, and none that the kernel, libc or mana reserves.
/// out: bit n-1 is signal n  errors: failure (usage), which quotes the word
std::uint64_t parse_signals(const std::string& text);

}  // namespace mana::tools
