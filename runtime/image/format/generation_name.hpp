// The names of generations' directories.
#pragma once
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string>

namespace mana::image {

inline std::string generation_name(std::uint64_t number) {
  char name[32];
  std::snprintf(name, sizeof name, "gen-%06llu", static_cast<unsigned long long>(number));
  return name;
}

/// in: name  without directory      out: nothing if no generation has this name
inline std::optional<std::uint64_t> generation_number(const std::string& name) {
  std::uint64_t number = 0;
  if (name.size() < 4) return std::nullopt;
  const auto [at, error] = std::from_chars(name.data() + 4, name.data() + name.size(), number);
  if (error != std::errc() || generation_name(number) != name) return std::nullopt;
  return number;
}

}  // namespace mana::image
