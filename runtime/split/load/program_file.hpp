// Finds the ELF file of the name that the user typed, as execvp(3) and the kernel do.
#pragma once
#include <string>
#include <vector>

namespace mana::split {

struct program_file {
  std::string path;                // the ELF file: the program, or the interpreter of a script
  std::vector<std::string> args;   // for a script, with the interpreter's in front
};

/// in:     env_path  the PATH to search
/// errors: load_error, codes 65 to 67
program_file find_program(const std::string& name, std::vector<std::string> args, const std::string& env_path);

}  // namespace mana::split
