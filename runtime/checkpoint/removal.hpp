// Removing generations. The manifest goes first: a directory that is half removed is no checkpoint.
#pragma once
#include "own_directory.hpp"

#include <cstdint>

namespace mana::store {

/// The files of a generation that is none any more, and its directory. What cannot be removed stays. What is no file there
/// is not mana's, and stays too.
void remove_files(const image::own_directory& all, std::uint64_t number);

}  // namespace mana::store
