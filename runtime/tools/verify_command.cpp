// `mana verify`: every byte of a directory's checkpoints is read.
#include "commands.hpp"
#include "exit_status.hpp"
#include "survey.hpp"

#include <fmt/format.h>

namespace mana::tools {

int verify(const verify_command& wanted) {
  const auto all = view_directory(wanted.directory, true);
  fmt::print("{}", wanted.json ? as_json(all) : as_text(all, true));
  for (const checkpoint_view& v : all)
    if (v.complete && !is_sound(v)) return static_cast<int>(exit_code::checkpoint_damaged);
  return 0;
}

}  // namespace mana::tools
