// What there is in a directory of checkpoints, as the commands show it.
#pragma once
#include "checkpoint_view.hpp"

#include <store.hpp>

#include <string>
#include <vector>

namespace mana::tools {

/// Every generation of the directory, the oldest first; the directory may be a generation itself.
/// in:     thorough  every byte of the images is read, not only what they say of themselves
/// errors: failure (checkpoint_missing)
std::vector<checkpoint_view> view_directory(const std::string& directory, bool thorough);

}  // namespace mana::tools
