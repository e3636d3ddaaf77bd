// Reads the headers of an executable file. No linker runs and no code is mapped.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace mana::tools {

/// The kernel's view of a file.
enum class file_form {
  script,         // begins with "#!"
  unknown,        // neither a script nor ELF
  damaged,        // ELF, but its headers point outside the file
  foreign,        // ELF of another architecture or word size
  static_program, // ELF without a dynamic loader (PT_INTERP)
  shared_object,  // ELF library
  dynamic_program // ELF that names a dynamic loader: the form that `mana run` can run
};

/// Dynamic section and headers of an ELF file; only `form` is meaningful unless form is one of the last two.
struct elf_program {
  file_form form = file_form::unknown;
  std::uint16_t machine = 0;           // EM_…
  std::string loader;                  // PT_INTERP
  std::string soname;                  // DT_SONAME
  std::vector<std::string> needed;     // DT_NEEDED, in order
  std::vector<std::string> rpath;      // DT_RPATH directories, $ORIGIN filled in
  std::vector<std::string> runpath;    // DT_RUNPATH directories, $ORIGIN filled in
};

/// Reads the headers of `path`.
/// errors: the file cannot be opened → std::system_error; damage is a result (file_form::damaged), never an exception.
elf_program read_elf_program(const std::filesystem::path& path);

/// Name of a machine for messages, e.g. "AArch64"; "machine 42" for those without a name here.
std::string machine_name(std::uint16_t machine);

/// Interpreter and optional single argument of a script's first line; empty if it is not a script.
std::vector<std::string> script_interpreter(const std::filesystem::path& path);

}  // namespace mana::tools
