// Parses the command line into values. It does not know what the commands do.
#pragma once
#include <runtime/tools/options/command_table.hpp>
#include <runtime/tools/options/configuration_file.hpp>
#include <runtime/tools/options/run_options.hpp>

#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mana::tools {

struct run_command { run_options options; };
struct restart_command { run_options options; };

// As given, by the rows of the table: checkpoint_command, status_command, …
#define MANA_MEMBER(member, name, kind, default_value, ...) option::kind::given member = default_value;
#define MANA_STRUCTURE(name, ...) struct name##_command { MANA_OPTIONS_##name(MANA_MEMBER) };
MANA_COMMANDS(MANA_STRUCTURE)
#undef MANA_STRUCTURE
#undef MANA_MEMBER

/// The user asked for text (--help, --version): print it, exit status 0.
struct show_text { std::string text; };

#define MANA_ALTERNATIVE(name, ...) name##_command,
using command = std::variant<run_command, restart_command, MANA_COMMANDS(MANA_ALTERNATIVE) show_text>;
#undef MANA_ALTERNATIVE

/// Reads the user's configuration file; nullopt: there is none.
using configuration_source = std::function<std::optional<configuration_file>()>;

/// in:     words   the command line without argv[0]
///         source  called for run and restart, and for commands that look at checkpoints if the words name none;
///                 not called with --no-config; empty: there is no file
/// errors: failure (usage) with the parser's text; errors of the source
command parse_command_line(const std::vector<std::string>& words, const configuration_source& source = {});

}  // namespace mana::tools
