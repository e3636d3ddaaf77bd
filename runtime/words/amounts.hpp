// Amounts in words for people.
#pragma once
#include <string>

namespace mana::words {

/// "1.50 MiB": bytes with a binary unit, three significant digits.
std::string human_bytes(unsigned long long bytes);

/// "2.35 s", "410 ms": a duration.
std::string human_seconds(double seconds);

}  // namespace mana::words
