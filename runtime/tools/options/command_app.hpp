// The definition of the command line: commands, options and their help. What parses words, and what prints pages for
// the manual and completions for shells, both walk it.
#pragma once
#include <runtime/tools/options/command_line.hpp>

#include <CLI/CLI.hpp>

namespace mana::tools {

/// Everything that the parser fills in; what was meant is picked from it afterwards.
struct parsed {
  run_options run, restart;
  checkpoint_command checkpoint;
  status_command status;
  list_command list;
  inspect_command inspect;
  verify_command verify;
  prune_command prune;
  diff_command diff;
  extract_command extract;
  std::string extract_range;         // "0x…-0x…" of extract, "" = none
  completion_command completion;
  bool no_config = false;
  compact_command compact;
  gdb_command gdb;
  doctor_command doctor;
};

/// Adds every command and option to `app`; what is parsed goes to `values`, which lives as long.
void build_app(CLI::App& app, parsed& values);

}  // namespace mana::tools
