// Names out of an image as names of files.
#pragma once
#include <string>
#include <string_view>

namespace mana::tools {

/// Letters, digits, '_', '+', '-' and inner dots stay; all else becomes '_'. At most 100 bytes; never "." or "..".
inline std::string safe_name(std::string_view name) {
  std::string safe;
  for (const char c : name.substr(0, 100)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool inner_dot = c == '.' && !safe.empty();
    safe += plain || inner_dot || c == '_' || c == '+' || c == '-' ? c : '_';
  }
  return safe;
}

}  // namespace mana::tools
