#include <runtime/tools/options/completion.hpp>

#include <runtime/tools/options/option_words.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace mana::tools {
namespace {

/// in: special  characters that get a backslash in front
std::string escaped(const std::string& text, const std::string& special) {
  std::string safe;
  for (const char c : text) {
    if (special.find(c) != std::string::npos) safe += '\\';
    safe += c;
  }
  return safe;
}

/// Quotes a text as one word of a POSIX shell.
std::string quoted(const std::string& text) {
  std::string safe = "'";
  for (const char c : text) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return safe + "'";
}

/// out: the names of the options, and the values of positional arguments with a list
std::vector<std::string> words_for(const CLI::App& app) {
  std::vector<std::string> words;
  for (const option_words& o : options_of(app)) {
    const auto& more = o.positional ? o.choices : o.names;
    words.insert(words.end(), more.begin(), more.end());
  }
  for (const CLI::App* command : commands_of(app)) words.push_back(command->get_name());
  return words;
}

/// A pattern for `case`: "'run --children'|'run -x'".
std::string pattern_of(const CLI::App& command, const option_words& o) {
  std::vector<std::string> names;
  for (const std::string& name : o.names) names.push_back(quoted(command.get_name() + " " + name));
  return fmt::format("{}", fmt::join(names, "|"));
}

std::string bash_words(const CLI::App& app) {
  std::string text = fmt::format("    '') echo {} ;;\n", quoted(fmt::format("{}", fmt::join(words_for(app), " "))));
  for (const CLI::App* command : commands_of(app))
    text += fmt::format("    {}) echo {} ;;\n", command->get_name(),
                        quoted(fmt::format("{}", fmt::join(words_for(*command), " "))));
  return text;
}

std::string bash_values(const CLI::App& app) {
  std::string text;
  for (const CLI::App* command : commands_of(app))
    for (const option_words& o : options_of(*command)) {
      if (o.positional || o.value.empty()) continue;
      const std::string how = o.directory ? "directory" : o.path ? "file" : o.choices.empty() ? "any" : "choice";
      text += fmt::format("    {}) echo {} ;;\n", pattern_of(*command, o),
                          quoted(fmt::format("{}{}{}", how, o.choices.empty() ? "" : " ", fmt::join(o.choices, " "))));
    }
  return text;
}

/// After the words of `run` and `doctor`, a program and its own arguments follow.
constexpr const char* bash_frame = R"bash(_mana() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} command='' option='' kind='' i word
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; ++i)); do
    word=${{COMP_WORDS[i]}}
    if [[ -z $command ]]; then
      [[ $word == -* ]] || command=$word
    elif [[ $word == '=' ]]; then
      continue
    elif [[ -n $option ]]; then
      option=''
    elif [[ $word == -* ]]; then
      [[ -z $(_mana_value "$command" "$word") ]] || option=$word
    elif [[ $command == run || $command == doctor ]]; then
      return
    fi
  done
  [[ $current != '=' ]] || current=''
  read -r kind word <<< "$(_mana_value "$command" "$option")"
  case $kind in
    directory) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
    choice) mapfile -t COMPREPLY < <(compgen -W "$word" -- "$current") ;;
    '') mapfile -t COMPREPLY < <(compgen -W "$(_mana_words "$command")" -- "$current") ;;
  esac
}}
complete -o bashdefault -o default -F _mana mana
)bash";

std::string zsh_action(const option_words& o) {
  if (o.directory) return "_files -/";
  if (o.path) return "_files";
  return o.choices.empty() ? " " : fmt::format("({})", fmt::join(o.choices, " "));
}

/// Lines for _arguments.
std::string zsh_arguments(const CLI::App& command) {
  std::string text;
  int position = 0;
  for (const option_words& o : options_of(command)) {
    if (o.positional) {
      text += " \\\n        " + quoted(fmt::format("{}:{}:{}", ++position, escaped(o.value, ":\\"), zsh_action(o)));
      continue;
    }
    const std::string about = escaped(o.description, "[]:\\");
    for (const std::string& name : o.names)
      text += " \\\n        " +
              quoted(o.value.empty() ? fmt::format("{}[{}]", name, about)
                                     : fmt::format("{}[{}]:{}:{}", name, about, escaped(o.value, ":\\"), zsh_action(o)));
  }
  if (command.get_name() == "run" || command.get_name() == "doctor") text += " \\\n        '*::program: _normal'";
  return text;
}

std::string fish_text(const std::string& text) { return "'" + escaped(text, "'\\") + "'"; }

std::string fish_option(const CLI::App& command, const option_words& o) {
  std::string text = fmt::format("complete -c mana -n '__fish_seen_subcommand_from {}'", command.get_name());
  if (o.positional) return o.choices.empty() ? "" : fmt::format("{} -f -a '{}'\n", text, fmt::join(o.choices, " "));
  for (const std::string& name : o.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (!o.choices.empty()) text += fmt::format(" -x -a '{}'", fmt::join(o.choices, " "));
  else if (o.directory) text += " -x -a '(__fish_complete_directories)'";
  else if (o.path) text += " -r -F";
  else if (!o.value.empty()) text += " -x";
  return text + " -d " + fish_text(o.description) + "\n";
}

}  // namespace

std::string bash_completion(const CLI::App& app) {
  return "# Completion of mana for bash.\n_mana_words() {\n  case $1 in\n" + bash_words(app) +
         "  esac\n}\n_mana_value() {\n  case \"$1 $2\" in\n" + bash_values(app) +
         "  esac\n}\n" + fmt::format(bash_frame);
}

std::string zsh_completion(const CLI::App& app) {
  std::string text = "#compdef mana\n# Completion of mana for zsh.\n_mana() {\n  local -a commands\n  commands=(\n";
  for (const CLI::App* command : commands_of(app))
    text += "    " + quoted(command->get_name() + ":" + escaped(command->get_description(), ":\\")) + "\n";
  text += "  )\n  if (( CURRENT == 2 )); then\n    _describe command commands\n    return\n  fi\n"
          "  shift words\n  (( CURRENT-- ))\n  case $words[1] in\n";
  for (const CLI::App* command : commands_of(app))
    text += fmt::format("    {})\n      _arguments{}\n      ;;\n", command->get_name(), zsh_arguments(*command));
  return text + "  esac\n}\n_mana \"$@\"\n";
}

std::string fish_completion(const CLI::App& app) {
  std::string text = "# Completion of mana for fish.\n";
  for (const CLI::App* command : commands_of(app)) {
    text += fmt::format("complete -c mana -n __fish_use_subcommand -f -a {} -d {}\n", command->get_name(),
                        fish_text(command->get_description()));
    for (const option_words& o : options_of(*command)) text += fish_option(*command, o);
  }
  return text;
}

}  // namespace mana::tools
