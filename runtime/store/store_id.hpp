// Tells which directory of checkpoints a node's images belong to, by a random name in a file of the directory. A path
// would not do: the directory may be moved, or removed and made again.
#pragma once
#include <optional>
#include <string>

namespace mana::store {

/// 32 hexadecimal digits. Nothing if the directory has none, or does not exist.
/// errors: store_error (damaged, unreadable, not_own)
std::optional<std::string> read_store_id(const std::string& directory);
/// The same; makes the directory, and its name, if they are missing.
/// errors: store_error (damaged, unwritable, not_own)
std::string make_store_id(const std::string& directory);

}  // namespace mana::store
