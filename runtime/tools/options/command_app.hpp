// The definition of the command line: commands, options and their help. What parses words, and what prints pages for
// the manual and completions for shells, both walk it.
#pragma once
#include <runtime/tools/options/command_line.hpp>

#include <CLI/CLI.hpp>

namespace mana::tools {

/// Everything that the parser fills in; what was meant is picked from it afterwards.
struct parsed {
  run_options run, restart;
#define MANA_PARSED(name, ...) name##_command name;
  MANA_COMMANDS(MANA_PARSED)
#undef MANA_PARSED
  bool no_config = false;
};

/// Adds every command and option to `app`; what is parsed goes to `values`, which lives as long.
void build_app(CLI::App& app, parsed& values);

}  // namespace mana::tools
