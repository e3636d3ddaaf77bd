// `mana gdb`: the debugger finds the objects that the kernel and the first dynamic linker loaded, which are the lower
// half. A script adds the objects that the second linker loaded into the window.
#include <runtime/tools/launch/exec.hpp>
#include <runtime/tools/options/commands.hpp>
#include <runtime/tools/text/failure.hpp>

#include <mana/gen/families.hpp>
#include <mana/lower/abi.hpp>
#include <mana/lower/signals.hpp>

#include <runtime/symbols/core_memory.hpp>
#include <runtime/symbols/process_memory.hpp>
#include <runtime/symbols/upper_objects.hpp>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace mana::tools {
namespace {

namespace fs = std::filesystem;

/// Quotes a text for gdb's language.
std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (std::strchr(" \t\\'\"", c) != nullptr) safe += '\\';
    safe += c;
  }
  return safe;
}

std::string names_of(const symbols::memory_view& memory) {
  std::string script;
  for (const symbols::upper_object& object : symbols::upper_objects(memory)) {
    if (object.path.find('\n') != std::string::npos) continue;
    if (!symbols::is_as_loaded(memory, object))
      script += fmt::format("echo mana: note: {} is missing or has changed: its names are unknown\\n\n",
                            quoted(object.path));
    else
      script += fmt::format("add-symbol-file {} -o {:#x}\n", quoted(object.path), object.bias);
  }
  return script + fmt::format("add-symbol-file-from-memory {:#x}\n", lower::stub_address);
}

/// System calls and checkpoints raise signals that are not the program's.
std::string signals_of_mana() {
  return fmt::format("handle SIGSYS nostop noprint pass\nhandle SIG{} nostop noprint pass\n", lower::park_signal);
}

/// Makes a file without a name for the debugger. Returns its path.
std::string as_file(const std::string& text) {
  const int fd = ::memfd_create("mana-gdb-script", 0);
  if (fd < 0 || ::write(fd, text.data(), text.size()) != static_cast<ssize_t>(text.size()))
    throw failure(exit_status::internal, fmt::format("the debugger's script cannot be made: {}", std::strerror(errno)));
  return fmt::format("/proc/self/fd/{}", fd);
}

bool is_rank(const std::string& pid) {
  std::error_code error;
  const auto program = fs::read_symlink("/proc/" + pid + "/exe", error);
  if (error == std::errc::no_such_file_or_directory)
    throw failure(exit_status::not_a_rank, fmt::format("process {} does not exist", pid),
                  "name a process of this node");
  return !error && program.filename().string().starts_with("mana-lower-");
}

/// out: arguments that open the process; script: further commands for the debugger
std::vector<std::string> open_process(const std::string& pid, std::string& script) {
  if (!is_rank(pid))
    throw failure(exit_status::not_a_rank, fmt::format("process {} is not a rank of a job under mana", pid),
                  "name a process whose /proc/PID/exe is one of mana-lower-" MANA_MPI_NAMES ", none");
  script = signals_of_mana();
  try {
    script += names_of(symbols::process_memory(pid));
  } catch (const symbols::memory_error& error) {   // gdb will meet the same error, and may know more
    fmt::print(stderr, "mana: note: names of the program are unknown: {}\n", error.what());
  }
  return {"-p", pid};
}

std::vector<std::string> open_core(const std::string& file, std::string& script) {
  try {
    const symbols::core_memory memory(file);
    script = names_of(memory);
    const std::string program = memory.program();
    if (program.empty()) return {"-c", file};
    return {program, "-c", file};
  } catch (const symbols::memory_error& error) {
    throw failure(exit_status::not_a_rank, fmt::format("{}: {}", file, error.what()),
                  "give the core dump of a rank, made where this mana is installed");
  }
}

}  // namespace

void debug(const gdb_command& wanted, const environment& get) {
  std::string script;
  std::vector<std::string> words =
      wanted.core.empty() ? open_process(wanted.pid, script) : open_core(wanted.core, script);
  const auto gdb = find_command("gdb", get);
  if (gdb.empty())
    throw failure(exit_status::debugger_missing, "gdb is not installed: PATH has no gdb",
                  "install it (on Debian: apt install gdb)");
  // After the process or core, which must be open; before the user's arguments, which may use the names.
  words.insert(words.end(), {"-ex", "with pagination off -- source " + as_file(script)});
  words.insert(words.end(), wanted.words.begin(), wanted.words.end());
  become(gdb, words);
}

}  // namespace mana::tools
