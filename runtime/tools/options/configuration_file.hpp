// Finds the user's configuration file, and checks whether it can be trusted.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>

#include <optional>
#include <string>

namespace mana::tools {

struct configuration_file {
  std::string path, text;
};

/// Takes the file of MANA_CONFIG, which must exist; else $XDG_CONFIG_HOME/mana/config, else $HOME/.config/mana/config,
/// which need not exist.
/// errors: failure (usage) if the file is not regular, belongs to another user, is writable by others, too long, or
///         unreadable
std::optional<configuration_file> find_configuration(const environment& get);

}  // namespace mana::tools
