// An image as an ELF core dump that debuggers read: memory, threads with the registers that the image keeps, the files
// that were mapped, and where the program is loaded.
#pragma once
#include <runtime/tools/memory/saved_memory.hpp>
#include <runtime/tools/text/new_file.hpp>

namespace mana::tools {

/// out: bytes of the file. Pages of zeros are holes in it.
/// errors: files::image_error; failure (directory_unwritable)
std::uint64_t write_core(const saved_memory& memory, new_file& into);

}  // namespace mana::tools
