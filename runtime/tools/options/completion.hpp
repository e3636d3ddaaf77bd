// Shell completions of the command line, made from its definition.
#pragma once
#include <string>

namespace CLI { class App; }

namespace mana::tools {

/// Scripts that define the completion of `mana`.
std::string bash_completion(const CLI::App& app);
std::string zsh_completion(const CLI::App& app);
std::string fish_completion(const CLI::App& app);

}  // namespace mana::tools
