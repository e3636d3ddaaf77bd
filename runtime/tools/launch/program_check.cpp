#include <runtime/tools/launch/program_check.hpp>

#include <runtime/tools/launch/sanitizer.hpp>
#include <runtime/tools/launch/tool_layers.hpp>
#include <runtime/tools/text/failure.hpp>

#include <runtime/files/own_directory.hpp>
#include <runtime/words/mpi_families.hpp>

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/seccomp.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>

namespace mana::tools {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

fs::path search(const std::string& name, const environment& get) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = get("PATH");
  const std::string list = path ? path : "/bin:/usr/bin";
  fs::path not_executable;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    const fs::path candidate = fs::path(end == begin ? "." : list.substr(begin, end - begin)) / name;
    if (is_file(candidate)) {
      if (::access(candidate.c_str(), X_OK) == 0) return candidate;
      if (not_executable.empty()) not_executable = candidate;
    }
    begin = end + 1;
  }
  if (!not_executable.empty()) return not_executable;
  throw failure(exit_status::program_not_found, fmt::format("{}: no such program in PATH", name),
                is_file(name) ? fmt::format("write ./{} for the file in this directory", name)
                              : "check the spelling, or give its path");
}

void check_file(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (status.type() == fs::file_type::not_found)
    throw failure(exit_status::program_not_found, fmt::format("{}: no such file", path.string()),
                  "check the path; the file must exist on every node");
  if (error) throw failure(exit_status::program_not_found, fmt::format("{}: {}", path.string(), error.message()));
  if (fs::is_directory(status))
    throw failure(exit_status::program_not_executable, fmt::format("{} is a directory", path.string()),
                  "give the program's file");
  if (::access(path.c_str(), X_OK) != 0)
    throw failure(exit_status::program_not_executable, fmt::format("{} is not executable", path.string()),
                  fmt::format("chmod +x {}", path.string()));
}

elf_program read(const fs::path& path) {
  try {
    return read_elf_program(path);
  } catch (const std::system_error& error) {
    throw failure(exit_status::program_not_executable,
                  fmt::format("{} cannot be read: {}", path.string(), error.code().message()),
                  "mana loads the program itself, so it needs permission to read it");
  }
}

[[noreturn]] void refuse(const fs::path& path, const elf_program& program) {
  switch (program.form) {
    case file_form::foreign:
      throw failure(exit_status::program_foreign,
                    fmt::format("{} is a program for {}, this is x86-64", path.string(), machine_name(program.machine)),
                    "build it for this machine");
    case file_form::damaged:
      throw failure(exit_status::program_not_elf,
                    fmt::format("{} is damaged: its ELF headers point outside the file", path.string()),
                    "build or copy it again");
    case file_form::static_program:
      throw failure(exit_status::program_static, fmt::format("{} is statically linked", path.string()),
                    "link it dynamically (without -static): mana works between a program and its shared MPI library");
    case file_form::shared_object:
      throw failure(exit_status::program_not_elf, fmt::format("{} is a library, not a program", path.string()),
                    "give the program that uses it");
    default:
      throw failure(exit_status::program_not_elf,
                    fmt::format("{} is neither an ELF program nor a script with a \"#!\" line", path.string()),
                    "give the program itself; a shell script needs a first line like #!/bin/sh");
  }
}

/// "#!/usr/bin/env NAME" means the NAME in PATH. env would replace this process, and the lower half with it, by that
/// program.
void look_through_env(std::vector<std::string>& words, const environment& get) {
  if (words.size() == 2 && fs::path(words[0]).filename() == "env" &&
      words[1].find_first_of(" \t=") == std::string::npos && words[1][0] != '-')
    words = {search(words[1], get).string()};
}

/// Does what the kernel does for "#!": the interpreter becomes the program, and the script its argument.
void enter_script(checked_program& program, const environment& get) {
  auto words = script_interpreter(program.file);
  if (words.empty())
    throw failure(exit_status::program_not_elf, fmt::format("{} has an empty \"#!\" line", program.file.string()),
                  "name its interpreter there, e.g. #!/bin/sh");
  look_through_env(words, get);
  std::vector<std::string> arguments(words);
  arguments.push_back(program.file.string());
  arguments.insert(arguments.end(), program.arguments.begin() + 1, program.arguments.end());
  program.arguments = std::move(arguments);
  program.file = words[0];
  program.script = true;
}

/// Libraries of the standard ABI: one may be made of its MPI's other library, which is not the program's. The wrapper
/// library takes the place of both.
std::set<std::string> libraries_over_others() {
  std::set<std::string> names;
  for (const mpi_family& family : mpi_families)
    for (const char* const* soname = family.sonames; family.any_launcher && *soname != nullptr; ++soname)
      names.insert(*soname);
  return names;
}

}  // namespace

checked_program check_program(const std::vector<std::string>& command, const environment& get) {
  checked_program program;
  program.file = search(command.at(0), get);
  program.arguments = command;
  constexpr int nested_scripts = 5;   // as many as the kernel allows
  for (int depth = 0; depth <= nested_scripts; ++depth) {
    check_file(program.file);
    const auto elf = read(program.file);
    if (elf.form == file_form::script) {
      enter_script(program, get);
      continue;
    }
    if (elf.form != file_form::dynamic_program) refuse(program.file, elf);
    const char* library_path = get("LD_LIBRARY_PATH");
    const char* preload = get("LD_PRELOAD");
    const auto closure =
        library_closure(elf, read_library_cache(), library_path ? library_path : "", libraries_over_others());
    if (!program.script) program.linked = find_linked_mpi(closure);
    program.sanitizer = find_sanitizer(program.file, closure);
    program.layers = find_tool_layers(preload ? preload : "", closure);
    return program;
  }
  throw failure(exit_status::program_not_elf,
                fmt::format("{}: more than 5 scripts that interpret each other", command[0]));
}

void refuse_sanitized(const checked_program& program) {
  if (program.sanitizer.empty()) return;
  throw failure(exit_status::program_sanitized,
                fmt::format("{} is built with {}, whose memory a checkpoint cannot save", program.file.string(),
                            program.sanitizer),
                "build it without -fsanitize=…");
}

void check_kernel() {
  const std::uint32_t action = SECCOMP_RET_TRAP;
  if (::syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0) return;
  throw failure(exit_status::no_seccomp,
                fmt::format("this kernel cannot filter system calls (seccomp: {})", std::strerror(errno)),
                "use a kernel 4.17 or newer with CONFIG_SECCOMP_FILTER, and a container that allows seccomp(2)");
}

namespace {

fs::path prepare_directory(const fs::path& directory, const char* what, const char* option) {
  const auto fail = [&](const std::string& why) {
    throw failure(exit_status::directory_unwritable,
                  fmt::format("{} {}: {}", what, directory.string(), why),
                  fmt::format("name a directory in which you may make files with {}", option));
  };
  std::error_code error;
  const auto absolute = fs::absolute(directory, error).lexically_normal();
  if (error) fail(error.message());
  try {
    files::own_directory::make(absolute.string());
  } catch (const files::image_error& wrong) {
    fail(wrong.what());
  }
  // An unnamed file: access(2) does not detect a read-only mount for root, and an unnamed file leaves nothing behind.
  const int fd = ::open(absolute.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0) ::close(fd);
  else if (errno != EOPNOTSUPP && errno != EISDIR) fail(std::strerror(errno));
  else if (::access(absolute.c_str(), W_OK | X_OK) != 0) fail(std::strerror(errno));
  return absolute;
}

}  // namespace

fs::path prepare_checkpoint_directory(const fs::path& directory) {
  return prepare_directory(directory, "checkpoint directory", "--ckpt-dir");
}

fs::path prepare_trace_directory(const fs::path& directory) {
  return prepare_directory(directory, "directory of traces", "--clock-trace");
}

}  // namespace mana::tools
