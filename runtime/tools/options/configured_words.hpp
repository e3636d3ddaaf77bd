// What a configuration file says, as words of the command line.
#pragma once
#include <runtime/tools/options/configuration_file.hpp>

#include <string>
#include <vector>

namespace CLI { class App; }

namespace mana::tools {

/// Everything in the file is checked, also what this command does not take. [run] holds for `mana restart` too, as far
/// as it has these options and [restart] does not say otherwise; all other commands look for checkpoints where [run] has
/// them made.
/// in:     given  a command, parsed: its options beat those of the file
/// errors: failure (usage) naming the file, the line and the key
std::vector<std::string> configured_words(const configuration_file& file, const CLI::App& given);

/// The command line says where checkpoints are, in one of the ways that there are.
bool is_directory_named(const CLI::App& given);

}  // namespace mana::tools
