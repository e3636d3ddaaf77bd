// The build of a program's or library's file, from the linker's note, and the part of the file that a loader maps.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace mana::image {

/// In hex; empty if the file is no ELF file, or has no build id.     in: file  all of its bytes
std::string build_id_of(std::span<const unsigned char> file);
/// The same for an open file.     errors: image_error (io)
std::string build_id_of(int fd, const std::string& path);

/// Number of bytes that a loader maps, from the beginning of an open program or library. The rest is for debuggers and
/// linkers. 0: the file is no ELF file.
/// errors: image_error (io)
std::uint64_t loaded_bytes_of(int fd, const std::string& path);

}  // namespace mana::image
