// Standard input from the launcher through a pipe: nobody sends again what the program has read.
#pragma once
#include <runtime/descriptors/base/report.hpp>
#include <runtime/descriptors/base/table.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace mana::descriptors {

enum class input_fate {
  launchers,   // after a restart it is the new launcher's
  kept,        // the pipe holds all remaining bytes: a restart has these, and then the end
};

/// in: d  the launcher's standard input, or a duplicate If the program has begun to read and more will come, `said`
///     gets a warning that says what a restart needs.
input_fate look_at_input(const owned_descriptor& d, report& said);

/// The document of a restart with `file` as standard input, from the position that the program had reached. Empty:
/// unchanged.
nlohmann::json with_input(nlohmann::json document, const std::string& file);

}  // namespace mana::descriptors
