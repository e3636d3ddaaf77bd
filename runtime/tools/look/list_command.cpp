// `mana list`: one line for each checkpoint in a directory.
#include <runtime/tools/job/survey.hpp>
#include <runtime/tools/options/commands.hpp>

#include <fmt/format.h>

namespace mana::tools {

int list(const list_command& wanted) {
  const auto all = view_directory(wanted.directory);
  fmt::print("{}", wanted.json ? as_json(all) : as_text(all, false));
  return 0;
}

}  // namespace mana::tools
