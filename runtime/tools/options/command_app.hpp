// The definition of the command line: commands, options and their help. The parser walks it, and so do the printers of
// manual pages and shell completions.
#pragma once
#include <runtime/tools/options/command_line.hpp>

#include <CLI/CLI.hpp>

namespace mana::tools {

/// All values that the parser fills in; parse_command_line() picks those of the chosen command.
struct parsed {
  run_options run, restart;
#define MANA_PARSED(name, ...) name##_command name;
  MANA_COMMANDS(MANA_PARSED)
#undef MANA_PARSED
  bool no_config = false;
};

/// Adds every command and option to `app`. `values` gets the parsed values, and must live as long as `app`.
void build_app(CLI::App& app, parsed& values);

}  // namespace mana::tools
