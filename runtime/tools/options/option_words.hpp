// What there is to know of an option of the command line, for those who print it.
#pragma once
#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace mana::tools {

struct option_words {
  std::vector<std::string> names;        // "-o", "--output"; of a positional: its name alone
  std::string value;                     // name of its value: "FILE"; empty: it has none
  std::string description;
  std::vector<std::string> choices;      // values that it may have; empty: not a list
  bool positional = false, required = false, path = false, directory = false;
};

/// In the order of their definition, the positional ones first.
std::vector<option_words> options_of(const CLI::App& app);

/// Commands in the order of their definition.
std::vector<const CLI::App*> commands_of(const CLI::App& app);

}  // namespace mana::tools
