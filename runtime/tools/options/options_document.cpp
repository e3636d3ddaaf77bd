// Prints the guide's tables: the options of `mana run` and `mana restart`, or, with the word "commands", those of all
// other commands.
#include <runtime/tools/options/command_app.hpp>
#include <runtime/tools/options/option_text.hpp>
#include <runtime/tools/options/option_words.hpp>

#include <runtime/job/option_table.hpp>
#include <runtime/words/exit_status.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace mana;

const char* words_of(option::commands commands) {
  switch (commands) {
    case option::commands::run: return "run";
    case option::commands::restart: return "restart";
    case option::commands::both: return "both";
  }
  return "";
}

void print(const std::string& name, const std::string& value, option::commands commands, const std::string& standard,
           const std::string& guide, option::relation needs, option::relation excludes) {
  std::string text = guide;
  if (*needs.other != '\0') text += fmt::format(". Needs `{}`", needs.other);
  if (*excludes.other != '\0') text += fmt::format(". Not with `{}`: {}", excludes.other, excludes.why);
  fmt::print("| `{}{}{}` | {} | {} | {} |\n", name, value.empty() ? "" : " ", value, words_of(commands),
             standard.empty() ? "" : fmt::format("`{}`", standard), text);
}

/// A row before the first option of a group.
void print_heading(std::string_view own, std::string_view& last) {
  if (own != last) fmt::print("| **{}** | | | |\n", own);
  last = own;
}

/// An option of several commands is one row.
struct shared_row {
  std::string option, meaning;
  std::vector<std::string> commands;
};

void add(const tools::option_words& o, const std::string& command, std::vector<shared_row>& rows) {
  const std::string name = fmt::format("{}{}{}", fmt::join(o.names, ", "), o.positional || o.value.empty() ? "" : " ",
                                       o.positional ? "" : o.value);
  const auto same = [&](const shared_row& r) { return r.option == name && r.meaning == o.description; };
  auto row = std::ranges::find_if(rows, same);
  if (row == rows.end()) row = rows.insert(row, {name, o.description, {}});
  row->commands.push_back(command + (o.required ? " (needed)" : ""));
}

/// As the parser has them, without options that the parser adds (--help).
void print_commands() {
  CLI::App app;
  tools::parsed values;
  tools::build_app(app, values);
  std::vector<shared_row> rows;
  for (const CLI::App* command : tools::commands_of(app)) {
    if (command->get_name() == "run" || command->get_name() == "restart") continue;
    for (const tools::option_words& o : tools::options_of(*command))
      if (o.names.back() != "--help") add(o, command->get_name(), rows);
  }
  std::puts("| option | commands | meaning |\n|---|---|---|");
  for (const shared_row& r : rows) fmt::print("| `{}` | {} | {} |\n", r.option, fmt::join(r.commands, ", "), r.meaning);
}

void print_run_and_restart() {
  using namespace option;
  std::puts("| option | of | default | meaning |\n|---|---|---|---|");
  std::string_view heading;
#define MANA_PRINT(member, name, kind, default_value, value_name, taken_by, way, needs, excludes, under, help, guide) \
  print_heading(tools::heading_of(option::group::under), heading); \
  print(name, value_name, option::commands::taken_by, tools::shown_default<option::kind>(default_value), guide, needs, excludes);
  MANA_RUN_OPTIONS(MANA_PRINT)
#undef MANA_PRINT
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == "commands") print_commands();
  else print_run_and_restart();
  return 0;
}
