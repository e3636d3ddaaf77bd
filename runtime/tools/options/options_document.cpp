// Prints the guide's table of the options of `mana run` and `mana restart`.
#include <runtime/tools/options/option_text.hpp>

#include <runtime/job/option_table.hpp>
#include <runtime/words/exit_status.hpp>

#include <fmt/format.h>

#include <cstdio>
#include <string>

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

}  // namespace

int main() {
  using namespace option;
  std::puts("| option | of | default | meaning |\n|---|---|---|---|");
#define MANA_PRINT(member, name, kind, default_value, value_name, taken_by, way, needs, excludes, under, help, guide) \
  print(name, value_name, option::commands::taken_by, tools::shown_default<option::kind>(default_value), guide, needs, excludes);
  MANA_RUN_OPTIONS(MANA_PRINT)
#undef MANA_PRINT
}
