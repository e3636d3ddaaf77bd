// JSON as commands print it.
#pragma once
#include <nlohmann/json.hpp>

#include <string>

namespace mana::tools {

/// Members "schema" of what the commands print. Each is raised when a member changes its meaning or goes away.
/// list and verify have checkpoint_schema.
inline constexpr int inspect_schema = 1, diff_schema = 1, extract_schema = 1, status_schema = 1;

/// Paths need not be UTF-8: what is not becomes U+FFFD instead of an exception.
inline std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace mana::tools
