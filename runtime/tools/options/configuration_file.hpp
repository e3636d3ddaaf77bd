// Where the user's configuration file is, and whether it is to be trusted.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>

#include <optional>
#include <string>

namespace mana::tools {

struct configuration_file {
  std::string path, text;
};

/// MANA_CONFIG, which must be there; else $XDG_CONFIG_HOME/mana/config, else $HOME/.config/mana/config, which need not.
/// errors: failure (usage) if it is no regular file, of another user, writable by others, too long, or cannot be read
std::optional<configuration_file> find_configuration(const environment& get);

}  // namespace mana::tools
