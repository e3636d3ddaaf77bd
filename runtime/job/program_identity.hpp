// Which build of a program this is.
#pragma once
#include <string>

namespace mana::job {

/// The linker's build id of an ELF program, in hex; of a program without one "sum:" and a checksum of its bytes.
/// errors: std::system_error if the file cannot be read
std::string program_identity(const std::string& path);

}  // namespace mana::job
