// Makes names from images, manifests or other programs safe as file names and on a terminal.
#pragma once
#include <string>
#include <string_view>

namespace mana::tools {

/// Keeps letters, digits, '_', '+', '-' and inner dots; all else becomes '_'. At most 100 bytes; never "." or "..".
inline std::string safe_name(std::string_view name) {
  std::string safe;
  for (const char c : name.substr(0, 100)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    const bool inner_dot = c == '.' && !safe.empty();
    safe += plain || inner_dot || c == '_' || c == '+' || c == '-' ? c : '_';
  }
  return safe;
}

/// Replaces control characters, which a terminal would act on, by \n, \t and \xNN; those of UTF-8 (C1) too.
/// in: keep  control characters that stay
inline std::string shown(std::string_view text, std::string_view keep = {}) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string safe;
  const auto escape = [&safe](unsigned char c) {
    safe += c == '\n' ? std::string("\\n") : c == '\t' ? std::string("\\t") : std::string("\\x") + digits[c >> 4u] + digits[c & 15u];
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    const auto next = static_cast<unsigned char>(i + 1 < text.size() ? text[i + 1] : 0);
    if (c == 0xc2 && next >= 0x80 && next < 0xa0) escape(next), ++i;
    else if ((c < 0x20 || c == 0x7f) && keep.find(text[i]) == std::string_view::npos) escape(c);
    else safe += text[i];
  }
  return safe;
}

/// As shown(), for a text of several lines.
inline std::string shown_lines(std::string_view text) { return shown(text, "\n"); }

}  // namespace mana::tools
