// Identifies the build of a program.
#pragma once
#include <string>

namespace mana::job {

/// out:    the build id that the linker wrote into an ELF program, in hex; without one, "sum:" and a checksum of the
///         file's bytes
/// errors: std::system_error if the file cannot be read
std::string program_identity(const std::string& path);

}  // namespace mana::job
