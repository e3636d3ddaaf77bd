// The texts of a row of the table of options.
#pragma once
#include <runtime/job/option_kinds.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <type_traits>

namespace mana::tools {

/// out: the default, in words; empty: no effect unless the option is given
template <class Kind>
std::string shown_default(const typename Kind::given& value) {
  if constexpr (std::is_same_v<typename Kind::given, bool>) {
    return {};
  } else if constexpr (std::is_arithmetic_v<typename Kind::given>) {
    constexpr bool off_at_zero = std::is_same_v<Kind, option::duration> || std::is_same_v<Kind, option::size>;
    return off_at_zero && value == 0 ? std::string() : fmt::format("{}", value);
  } else if constexpr (std::is_same_v<typename Kind::given, std::string>) {
    if constexpr (requires { Kind::standard(); }) return value.empty() ? Kind::standard() : value;
    else return value;
  } else {
    return {};
  }
}

inline void replace(std::string& text, std::string_view place, const std::string& words) {
  if (const std::size_t at = text.find(place); at != std::string::npos) text.replace(at, place.size(), words);
}

/// The row's help, with its default and its choices filled in.
template <class Kind>
std::string help_of(std::string text, const typename Kind::given& value) {
  replace(text, "{default}", shown_default<Kind>(value));
  if constexpr (requires { Kind::choices(); }) replace(text, "{choices}", fmt::format("{}", fmt::join(Kind::choices(), ", ")));
  return text;
}

inline const char* heading_of(option::group group) noexcept {
  switch (group) {
    case option::group::where: return "Where checkpoints go";
    case option::group::when: return "When to take a checkpoint";
    case option::group::how_much: return "How much to keep and to write";
    case option::group::how_fast: return "How fast to write and to restart";
    case option::group::program: return "The program";
    case option::group::messages: return "Messages and configuration";
    case option::group::experts: return "For experts";
  }
  return "";
}

}  // namespace mana::tools
