#include <runtime/tools/options/command_line.hpp>

#include <runtime/tools/options/command_app.hpp>
#include <runtime/tools/options/configured_words.hpp>
#include <runtime/tools/options/option_checks.hpp>
#include <runtime/tools/text/failure.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace mana::tools {
namespace {

/// out: index in `words` of the first argument for gdb: after the process or the core dump
std::size_t gdb_begin(const std::vector<std::string>& words) {
  const std::size_t end = words.size() > 1 && words[1] == "--core" ? 3 : 2;
  return std::min(end, words.size());
}

/// out: index in `words` of the program: after "--", or the first word that is neither an option of `mana run` nor an
///      option's value. Later words are not examined, so the program's own options stay its own.
std::size_t program_begin(const CLI::App& run, const std::vector<std::string>& words, bool& separated) {
  for (std::size_t i = 1; i < words.size(); ++i) {
    separated = words[i] == "--";
    if (separated) return i;
    if (words[i].size() < 2 || words[i][0] != '-') return i;
    const auto* option = run.get_option_no_throw(words[i]);
    if (option && option->get_items_expected_min() > 0) ++i;
  }
  return words.size();
}

command pick(const CLI::App& app, parsed& values) {
  if (app.got_subcommand("run")) return run_command{values.run};
  if (app.got_subcommand("restart")) return restart_command{values.restart};
#define MANA_PICK(name, ...) \
  if (app.got_subcommand(typed(#name))) return values.name;
  MANA_COMMANDS(MANA_PICK)
#undef MANA_PICK
  return show_text{app.help()};
}

/// Takes the words that belong to a program, or to gdb. Returns the others.
std::vector<std::string> take_foreign(const std::vector<std::string>& words, const CLI::App& app, parsed& values) {
  std::vector<std::string> own = words;
  if (words.empty()) return own;
  if (words[0] == "run" || words[0] == "doctor") {
    bool separated = false;
    const auto begin = program_begin(*app.get_subcommand(words[0]), words, separated);
    own.resize(std::min(begin, own.size()));
    const auto program = std::min(begin + (separated ? 1 : 0), words.size());
    (words[0] == "run" ? values.run.command : values.doctor.command)
        .assign(words.begin() + static_cast<std::ptrdiff_t>(program), words.end());
  } else if (words[0] == "gdb") {
    own.resize(gdb_begin(words));
    values.gdb.words.assign(words.begin() + static_cast<std::ptrdiff_t>(own.size()), words.end());
  }
  return own;
}

/// errors: failure (usage)
void require_one_part(const extract_command& e) {
  const int named = !e.section.empty() + (e.range.bytes() != 0) + e.core + e.all;
  if (named != 1)
    throw failure(exit_status::usage, "mana extract: name one of --section, --range, --core and --all",
                  "see mana extract --help");
}

void require_known(const CLI::App& app, const std::vector<std::string>& own) {
  if (own.empty() || own[0].starts_with('-')) return;
  const auto named = app.get_subcommands([&own](const CLI::App* command) { return command->get_name() == own[0]; });
  if (!named.empty()) return;
  throw failure(exit_status::usage, fmt::format("mana has no command \"{}\"", own[0]), "list the commands: mana "
                                                                                       "--help");
}

/// out:    requested text, if the words ask for text instead of a command; else empty
/// errors: failure (usage)
std::string parse_words(CLI::App& app, std::vector<std::string> own) {
  require_known(app, own);
  std::reverse(own.begin(), own.end());   // CLI11 takes a vector from its end
  try {
    app.parse(own);
    return {};
  } catch (const CLI::CallForHelp&) {
    return app.help();
  } catch (const CLI::CallForVersion& version) {
    return fmt::format("{}\n", version.what());
  } catch (const CLI::ParseError& error) {
    throw failure(exit_status::usage, error.what(), "see mana --help, or mana COMMAND --help");
  }
}

/// out: the options that only the user's file sets, as words for a second parse; empty: none
std::vector<std::string> words_of_file(const CLI::App& app, const parsed& values, const configuration_source& source) {
  const auto commands = app.get_subcommands();
  if (!source || values.no_config || values.run.no_config || values.restart.no_config || commands.empty()) return {};
  const CLI::App& given = *commands.front();
  const bool looks = given.get_option_no_throw("--ckpt-dir") != nullptr && !is_directory_named(given);
  const bool asks = app.got_subcommand("run") || app.got_subcommand("restart") || looks;
  const auto file = asks ? source() : std::nullopt;
  return file ? configured_words(*file, *commands.front()) : std::vector<std::string>();
}

void require_something(const CLI::App& app, const parsed& values) {
  if (app.got_subcommand("run") && values.run.command.empty())
    throw failure(exit_status::usage, "mana run: no program given",
                  "mpirun -n RANKS mana run [OPTIONS] [--] PROGRAM [ARGUMENTS…]");
  if (app.got_subcommand("gdb") && values.gdb.pid.empty() && values.gdb.core.empty())
    throw failure(exit_status::usage, "mana gdb: no process given", "mana gdb PID, or mana gdb --core FILE");
}

/// in:  more  words that are parsed as if they stood before the others
/// out: words of the user's file, if it was read and sets an option
std::vector<std::string> parse_once(const std::vector<std::string>& words, const std::vector<std::string>& more,
                                    const configuration_source& source, command& result) {
  CLI::App app;
  parsed values;
  build_app(app, values);
  std::vector<std::string> own = take_foreign(words, app, values);
  if (!own.empty()) own.insert(own.begin() + 1, more.begin(), more.end());
  if (const std::string text = parse_words(app, own); !text.empty()) {
    result = show_text{text};
    return {};
  }
  require_something(app, values);
  if (app.got_subcommand("extract")) require_one_part(values.extract);
  result = pick(app, values);
  return words_of_file(app, values, source);
}

}  // namespace

command parse_command_line(const std::vector<std::string>& words, const configuration_source& source) {
  command result;
  const std::vector<std::string> configured = parse_once(words, {}, source, result);
  if (!configured.empty()) parse_once(words, configured, {}, result);
  return result;
}

}  // namespace mana::tools
