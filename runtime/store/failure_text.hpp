// The file that records a failed restart of a checkpoint, or of an image.
#pragma once
#include <runtime/files/own_directory.hpp>

#include <optional>
#include <string>

namespace mana::store {

/// Adds the time. An existing file stays unchanged.     errors: image_error (io)
void write_failure(const files::own_directory& own, const std::string& name, const std::string& why);
/// Nothing if there is none.                            errors: image_error (not_own, io)
std::optional<std::string> read_failure(const files::own_directory& own, const std::string& name);

}  // namespace mana::store
