// What tells a build of a program or library from every other: the note that the linker puts into it.
#pragma once
#include <cstddef>
#include <span>
#include <string>

namespace mana::image {

/// In hex; empty if it is no ELF file, or has none.     in: file  all of its bytes
std::string build_id_of(std::span<const unsigned char> file);
/// The same, of an open file.     errors: image_error (io)
std::string build_id_of(int fd, const std::string& path);

}  // namespace mana::image
