// Turns a configuration file into words of the command line.
#pragma once
#include <runtime/tools/options/configuration_file.hpp>

#include <string>
#include <vector>

namespace CLI { class App; }

namespace mana::tools {

/// Checks everything in the file, even options of other commands. [run] also applies to `mana restart` for common
/// options that [restart] does not set. All other commands look for checkpoints in the directory that [run] sets.
/// in:     given  a parsed command: its options override those of the file
/// errors: failure (usage) with the file, the line and the key
std::vector<std::string> configured_words(const configuration_file& file, const CLI::App& given);

/// True if the command line names the directory of checkpoints, in any of the possible ways.
bool is_directory_named(const CLI::App& given);

}  // namespace mana::tools
