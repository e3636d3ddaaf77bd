// Owner, times and extended attributes of a file without a name. The contents are kept elsewhere.
#pragma once
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <string>
#include <vector>

namespace mana::descriptors {

/// in: s  from before the file was read; fd  of the file, not O_PATH
nlohmann::json describe_attributes(int fd, const struct stat& s);

/// Call when nothing remains to be written. Images of older versions have no attributes.
/// in:  mode  without the type
/// out: attributes that differ from before, as text
std::vector<std::string> restore_attributes(int fd, mode_t mode, const nlohmann::json& attributes, const std::string& path);

}  // namespace mana::descriptors
