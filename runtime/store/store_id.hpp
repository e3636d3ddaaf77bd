// Which directory of checkpoints a node's images belong to: a random name in a file of the directory. A path would not tell: the
// directory may be moved, or removed and made anew.
#pragma once
#include <optional>
#include <string>

namespace mana::store {

/// 32 hexadecimal digits. Nothing if the directory has none, or is not there.
/// errors: store_error (damaged, unreadable, not_own)
std::optional<std::string> read_store_id(const std::string& directory);
/// The same; the directory is made where it is missing, and has one from now on.
/// errors: store_error (damaged, unwritable, not_own)
std::string make_store_id(const std::string& directory);

}  // namespace mana::store
