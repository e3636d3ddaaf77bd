// Checks whether `mana run` can run a program. Everything that can be known before the start is checked here, so that
// the user gets an error message instead of a crash.
#pragma once
#include <runtime/tools/mpi/launcher.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace mana::tools {

/// A program that mana can run.
struct checked_program {
  std::filesystem::path file;            // the file to load: the program, or its script's interpreter
  std::vector<std::string> arguments;    // its argv, with argv[0]
  bool script = false;
  linked_mpi linked;                     // empty for a script
  std::string sanitizer;                 // the sanitizer that it was built with: "AddressSanitizer", …; "" if none
  std::vector<std::filesystem::path> layers;   // tools above the MPI library, in the loader's order
};

/// Finds `command[0]` as a shell would (PATH unless it has a slash), follows "#!" lines, reads its headers.
/// errors: failure: not found, a directory, not executable, not ELF, damaged, foreign, statically linked, a library
checked_program check_program(const std::vector<std::string>& command, const environment& get);

/// errors: failure (program_sanitized)
void refuse_sanitized(const checked_program& program);

/// errors: failure (no_seccomp) if this kernel cannot filter system calls
void check_kernel();

/// Makes `directory` (0700) if it does not exist, and checks that files can be made in it. Returns its absolute path.
/// errors: failure (directory_unwritable)
std::filesystem::path prepare_checkpoint_directory(const std::filesystem::path& directory);
std::filesystem::path prepare_trace_directory(const std::filesystem::path& directory);

}  // namespace mana::tools
