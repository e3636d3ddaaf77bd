// What a file without a name has besides its contents: owner, times, and extended attributes.
#pragma once
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include <string>
#include <vector>

namespace mana::descriptors {

/// in: s  before the file was read; fd  of it, not O_PATH
nlohmann::json describe_attributes(int fd, const struct stat& s);

/// When nothing remains to be written. Images of older versions have none.
/// in:  mode  without the type
/// out: what is not as it was, in words
std::vector<std::string> restore_attributes(int fd, mode_t mode, const nlohmann::json& attributes, const std::string& path);

}  // namespace mana::descriptors
