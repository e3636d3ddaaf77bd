// What a program's or library's file says of itself: its build, by a note of the linker's, and what of it is mapped.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mana::image {

/// In hex; empty if it is no ELF file, or has none.     in: file  all of its bytes
std::string build_id_of(std::span<const unsigned char> file);
/// The same, of an open file.     errors: image_error (io)
std::string build_id_of(int fd, const std::string& path);

/// Bytes of an open program or library, from its beginning, that a loader maps: what comes behind is for debuggers and linkers.
/// 0: it is no ELF file.     errors: image_error (io)
std::uint64_t loaded_bytes_of(int fd, const std::string& path);

}  // namespace mana::image
