// Writes an image as an ELF core dump for debuggers: memory, threads with the registers that the image keeps, the
// mapped files, and the program's place in memory.
#pragma once
#include <runtime/tools/memory/saved_memory.hpp>
#include <runtime/tools/text/new_file.hpp>

namespace mana::tools {

/// out:    size of the file in bytes. Pages of zeros are holes in it.
/// errors: files::image_error; failure (directory_unwritable)
std::uint64_t write_core(const saved_memory& memory, new_file& into);

}  // namespace mana::tools
