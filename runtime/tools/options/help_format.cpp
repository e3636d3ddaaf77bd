#include <runtime/tools/options/help_format.hpp>

#include <runtime/tools/options/command_table.hpp>
#include <runtime/tools/options/option_words.hpp>
#include <runtime/tools/text/plain_text.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mana::tools {
namespace {

constexpr const char* before_example = "Example:\n  ";
constexpr std::size_t name_width = 30;       // of the column of the options' names
constexpr std::size_t text_width = 70;       // of the column to the right of it

/// A name and what it means; what is longer than the column has its text below.
std::string row(const std::string& name, const std::string& text) {
  const std::string indented = fmt::format("\n{:{}}", "", name_width);
  std::string line = fmt::format("{:{}}", "  " + name, name_width);
  if (line.size() > name_width || line.back() != ' ') line += indented;
  for (const char c : text) {
    if (c == '\n') line += indented;
    else line += c;
  }
  return line + "\n";
}

const char* known_usage(const std::string& command) {
  if (command == "mana") return "mana COMMAND [OPTIONS]\nmana COMMAND --help";
  if (command == "run")
    return "mpirun -n RANKS mana run [OPTIONS] [--] PROGRAM [ARGUMENTS…]\nmana run [OPTIONS] [--] PROGRAM [ARGUMENTS…]";
  if (command == "restart") return "mpirun -n RANKS mana restart [OPTIONS] [DIR]\nmana restart [OPTIONS] [DIR]";
#define MANA_USAGE(name, about, usage, example) \
  if (command == typed(#name)) return usage;
  MANA_COMMANDS(MANA_USAGE)
#undef MANA_USAGE
  return "";
}

}  // namespace

std::vector<std::string> usage_of(const CLI::App& command) {
  if (const std::string known = known_usage(command.get_name()); !known.empty()) return CLI::detail::split(known, '\n');
  std::string line = "mana " + command.get_name() + " [OPTIONS]";
  for (const option_words& o : options_of(command)) {
    if (o.positional) line += o.required ? " " + o.value : " [" + o.value + "]";
    else if (o.required) line += " " + o.names.back() + " " + o.value;
  }
  return {line};
}

std::string example_text(const std::string& lines) {
  return lines.empty() ? "" : fmt::format("{}{}", before_example, fmt::join(CLI::detail::split(lines, '\n'), "\n  "));
}

std::vector<std::string> example_of(const CLI::App& command) {
  std::vector<std::string> lines;
  for (const std::string& line : CLI::detail::split(command.get_footer(), '\n'))
    if (line.starts_with("  ")) lines.push_back(line.substr(2));
  return lines;
}

std::string help_format::make_usage(const CLI::App* app, std::string) const {
  return fmt::format("Usage: {}\n", fmt::join(usage_of(*app), "\n       "));
}

// Ours, because that of CLI11 depends on its version: 2.6 breaks the lines of examples and orders names by their length.
std::string help_format::make_help(const CLI::App* app, std::string, CLI::AppFormatMode) const {
  std::string text = fmt::format("{}\n{}", app->get_description(), make_usage(app, ""));
  const auto add = [&](const std::string& heading, const std::vector<std::string>& rows) {
    if (!rows.empty()) text += fmt::format("\n{}:\n{}", heading, fmt::join(rows, ""));
  };
  const auto options_in = [&](const std::string& group, bool is_positional) {
    std::vector<std::string> rows;
    for (const CLI::Option* option : app->get_options())
      if (option->get_positional() == is_positional && (is_positional || option->get_group() == group))
        rows.push_back(make_option(option, is_positional));
    return rows;
  };
  add("Arguments", options_in("", true));
  for (const std::string& group : app->get_groups()) add(group, options_in(group, false));
  std::vector<std::string> commands;
  for (const CLI::App* command : commands_of(*app)) commands.push_back(row(command->get_name(), command->get_description()));
  add("Subcommands", commands);
  return app->get_footer().empty() ? text : fmt::format("{}\n{}\n", text, app->get_footer());
}

std::string help_format::make_option(const CLI::Option* option, bool is_positional) const {
  return row(make_option_name(option, is_positional) + make_option_opts(option), make_option_desc(option));
}

std::string help_format::make_option_opts(const CLI::Option* option) const {
  const std::string type = option->get_type_name();
  const std::string value = option->get_positional() ? "" : type.substr(0, type.find_first_of(":{"));
  return value.empty() || option->get_items_expected_min() == 0 ? "" : " " + value;
}

std::string help_format::make_option_desc(const CLI::Option* option) const {
  return fmt::format("{}", fmt::join(wrapped(option->get_description(), text_width), "\n"));
}

}  // namespace mana::tools
