// JSON text as commands print it.
#pragma once
#include <nlohmann/json.hpp>

#include <string>

namespace mana::tools {

/// The members "schema" of the commands' JSON. Each is raised when a member changes its meaning or is removed. list and
/// verify have checkpoint_schema.
inline constexpr int inspect_schema = 1, diff_schema = 1, extract_schema = 1, status_schema = 1;

/// A path may contain bytes that are not UTF-8: U+FFFD replaces them, and no exception is thrown.
inline std::string text_of(const nlohmann::ordered_json& json) {
  return json.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace mana::tools
