// `mana completion`.
#include <runtime/tools/options/command_app.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/options/completion.hpp>

#include <fmt/format.h>

namespace mana::tools {

int complete(const completion_command& wanted) {
  CLI::App app;
  parsed values;
  build_app(app, values);
  fmt::print("{}", wanted.shell == "bash"  ? bash_completion(app)
                   : wanted.shell == "zsh" ? zsh_completion(app)
                                           : fish_completion(app));
  return 0;
}

}  // namespace mana::tools
