// The words with which `mana run` and `mana restart` become a lower half. A protocol between two of our programs of one
// installation: no abbreviations, no defaults that a user would care about.
#pragma once
#include <string>
#include <vector>

namespace mana::run {

struct start_options {
  bool restart = false;
  std::string generation;              // restart: directory of the checkpoint, …/gen-N
  std::string checkpoint_directory;    // where checkpoints go
  double interval_s = 0;               // 0: none by itself
  double limit_s = 0;                  // time limit of the quiesce phase; 0: the runtime's own
  std::string preload;                 // run: wrapper library of the upper half
  bool verbose = false;
  std::vector<std::string> command;    // run: program (a path) and its arguments
};

/// run --ckpt-dir DIR --interval S --limit S --preload LIB [--verbose] -- PROGRAM ARGS…
/// restart DIR/gen-N --ckpt-dir DIR --interval S --limit S [--verbose]
/// in:     argv without the program's own name
/// errors: start_failure (usage)
start_options parse_start_options(const std::vector<std::string>& words);

}  // namespace mana::run
