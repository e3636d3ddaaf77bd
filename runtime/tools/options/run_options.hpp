// The options that `mana run` and `mana restart` have in common.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>
#include <runtime/words/exit_status.hpp>

#include <runtime/job/option_kinds.hpp>
#include <runtime/job/option_table.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mana::tools {

/// As given, by the rows of the table.
struct run_options {
#define MANA_MEMBER(member, name, kind, default_value, ...) option::kind::given member = default_value;
  MANA_RUN_OPTIONS(MANA_MEMBER)
#undef MANA_MEMBER
  std::vector<std::string> command;      // run: program and its arguments
};

/// The signals that ask for a checkpoint: bit n-1 is signal n. errors: failure (usage)
std::uint64_t request_signals(const run_options& options);

/// The arguments of a lower half for these options and this checkpoint directory. errors: failure (usage)
std::vector<std::string> lower_half_words(const run_options& options, const std::string& directory);

/// Becomes the lower half that runs options.command. Does not return. errors: failure
[[noreturn]] void run(const run_options& options, const environment& get);

/// Becomes the lower half that restarts the newest complete checkpoint of options.checkpoint_directory, and writes
/// later checkpoints there too. Does not return. errors: failure
[[noreturn]] void restart(const run_options& options, const environment& get);

}  // namespace mana::tools
