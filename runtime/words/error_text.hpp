// The form of an error message.
#pragma once
#include <string>

namespace mana::words {

/// in:  what    what went wrong and where
///      remedy  what the user can do; empty: the part of `what` after its last "; ", if it is of one line and has one
/// out: "mana: error: …", and the remedy on its own line
inline std::string error_text(std::string what, std::string remedy) {
  const std::size_t at = what.find('\n') == std::string::npos ? what.rfind("; ") : std::string::npos;
  if (remedy.empty() && at != std::string::npos) {
    remedy = what.substr(at + 2);
    what.resize(at);
  }
  return "mana: error: " + what + (remedy.empty() ? "" : "\n      " + remedy);
}

}  // namespace mana::words
