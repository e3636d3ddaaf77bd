// Standard input that comes from the launcher through a pipe: what the program has read of it nobody sends again.
#pragma once
#include <runtime/descriptors/base/report.hpp>
#include <runtime/descriptors/base/table.hpp>

#include <nlohmann/json.hpp>

#include <string>

namespace mana::descriptors {

enum class input_fate {
  launchers,   // after a restart it is the new launcher's
  kept,        // all that was to come is in the pipe: after a restart it is that, and then the end
};

/// in: d  the launcher's standard input, or a duplicate of it
/// Where the program has begun to read and there is more to come, `said` says what a restart needs.
input_fate look_at_input(const owned_descriptor& d, report& said);

/// The document of a restart whose standard input is to be `file`, from behind what the program has read. Empty: as it
/// is.
nlohmann::json with_input(nlohmann::json document, const std::string& file);

}  // namespace mana::descriptors
