// Describes an option of the command line, for printers of help, manual pages and completions.
#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace mana::tools {

/// Of options that have no heading of their own. CLI11's own depends on its version.
constexpr const char* default_heading = "Options";

struct option_words {
  std::vector<std::string> names;        // "-o", "--output"; of a positional argument: its name alone
  std::string value;                     // name of its value: "FILE"; empty: it has none
  std::string description;
  std::string group;                     // heading in help; default_heading: none
  std::vector<std::string> choices;      // its possible values; empty: no list
  bool positional = false, required = false, path = false, directory = false;
};

/// In the order of definition, the positional arguments first.
std::vector<option_words> options_of(const CLI::App& app);

/// Commands in the order of definition.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

}  // namespace mana::tools
