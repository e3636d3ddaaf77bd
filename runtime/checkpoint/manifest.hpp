// The manifest's text.
#pragma once
#include "store.hpp"

namespace mana::store {

std::string to_json(const manifest& m);
/// errors: store_error (damaged); its text says what is wrong, without the file's name
manifest from_json(const std::string& text);

}  // namespace mana::store
