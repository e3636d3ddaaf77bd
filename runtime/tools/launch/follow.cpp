#include <runtime/tools/launch/follow.hpp>

#include <runtime/tools/launch/exec.hpp>
#include <runtime/tools/launch/program_check.hpp>
#include <runtime/tools/mpi/install_tree.hpp>
#include <runtime/tools/mpi/process_manager.hpp>
#include <runtime/tools/text/failure.hpp>

#include <runtime/symbols/elf_symbol_table.hpp>
#include <runtime/symbols/mapped_file.hpp>
#include <mana/lower/follow_words.hpp>
#include <mana/lower/input_count.hpp>

#include <fmt/format.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace mana::tools {
namespace {

namespace fs = std::filesystem;

struct execution {
  bool is_rank;
  std::uint64_t mask;                    // signals to block
  // input: descriptor of the counter of reads from the launcher's input; "-1": none
  std::string file, input;
  std::string live;                      // name of the process's earlier lower half
  mpi_name abi;                          // of its earlier wrapper library
  std::vector<std::string> options;      // options of that lower half
  std::vector<std::string> arguments;    // argv; at least one
};

[[noreturn]] void not_for_users() {
  throw failure(exit_status::usage, "`mana follow` is a part of mana, not for users", "use `mana run`");
}

template <class T>
T number(const std::string& text, int base) {
  T value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) not_for_users();
  return value;
}

execution parse(const std::vector<std::string>& words) {
  if (words.size() < 7) not_for_users();
  const auto abi = parse_mpi_name(words[5]);
  const auto count = number<std::size_t>(words[6], 10);
  if (!abi || words.size() < count + 8 || (words[0] != "rank" && words[0] != "child")) not_for_users();
  const auto options = words.begin() + 7, arguments = options + static_cast<std::ptrdiff_t>(count);
  const std::string file = words[2].find('/') == std::string::npos ? "./" + words[2] : words[2];
  return {words[0] == "rank",    number<std::uint64_t>(words[1], 16), file, words[3], words[4], *abi,
          {options, arguments}, {arguments, words.end()}};
}

/// A static program shows MPI only in its symbols, if it was not stripped.
bool is_static_mpi_program(const fs::path& file) {
  const symbols::mapped_file contents(file);
  bool found = false;
  symbols::for_each_symbol(contents.bytes(), SHT_SYMTAB, [&](std::string_view name, const Elf64_Sym& symbol) {
    found = found || (name == "MPI_Init" && symbol.st_shndx != SHN_UNDEF);
  });
  return found;
}

/// errors: failure (program_not_executable): in a native run the program would have other rights than this process
void refuse_other_rights(const fs::path& file) {
  struct stat s{};
  if (::stat(file.c_str(), &s) != 0) return;
  const bool other_user = (s.st_mode & S_ISUID) != 0 && s.st_uid != geteuid();
  const bool other_group = (s.st_mode & S_ISGID) != 0 && (s.st_mode & S_IXGRP) != 0 && s.st_gid != getegid();
  const bool capable = geteuid() != 0 && ::getxattr(file.c_str(), "security.capability", nullptr, 0) > 0;
  if (other_user || other_group || capable)
    throw failure(exit_status::program_not_executable,
                  fmt::format("{} has rights of its own ({}), which mana cannot give to a program",
                              file.string(),
                              other_user ? "set-user-id" : other_group ? "set-group-id" : "file capabilities"),
                  "start mana itself with these rights, without this program");
}

mpi_choice mpi_of(const execution& wanted, const checked_program& program, const environment& get) {
  const auto& linked = program.linked;
  const bool says_nothing = linked.found.empty() && linked.foreign.empty();
  const bool is_same = std::ranges::find(linked.found, wanted.abi) != linked.found.end();
  const std::vector<live_mpi> installed = installed_mpis();
  const live_mpi* const live = find_live_mpi(installed, wanted.live);
  if (live == nullptr && says_nothing) return {mpi_name::none, std::nullopt};
  const std::optional<mpi_name> kept = says_nothing || is_same ? std::optional(wanted.abi) : std::nullopt;
  return choose_mpi({wanted.file, linked, find_launcher(get), live != nullptr ? wanted.live : std::string(), kept, installed,
                     launchers_among(programs_of_ancestors())});
}

/// Sets the environment variables with which the wrapper library calls this command again, in whatever process it is
/// loaded.
void leave_a_trace(const execution& wanted, const environment& get) {
  const char* const earlier = get("LD_PRELOAD");
  const std::string wrappers = find_parts({wanted.abi, std::nullopt}).preload;
  setenv("LD_PRELOAD", (earlier != nullptr ? wrappers + ":" + earlier : wrappers).c_str(), 1);
  std::string words = fs::read_symlink("/proc/self/exe").string();
  for (const std::string& word : {wanted.live, std::string(short_name(wanted.abi)), std::to_string(wanted.options.size())})
    words += lower::follow_separator + word;
  for (const std::string& word : wanted.options) words += lower::follow_separator + word;
  setenv(lower::follow_variable, words.c_str(), 1);
}

void block_signals(std::uint64_t mask) noexcept {
  ::syscall(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, &mask, nullptr, sizeof mask);
}

/// out: empty: the options name none
std::string checkpoint_directory(const std::vector<std::string>& options) {
  const auto at = std::find(options.begin(), options.end(), "--ckpt-dir");
  return at == options.end() || at + 1 == options.end() ? std::string() : *(at + 1);
}

/// True if this process has the launcher's standard input that the lower half's options name.
bool has_launchers_input(const std::vector<std::string>& options) {
  const auto at = std::find(options.begin(), options.end(), "--launcher");
  const std::string known = at == options.end() || at + 1 == options.end() ? std::string() : *(at + 1);
  constexpr int numbers = 10;      // descriptors that a shell can name with one digit
  for (int fd = 0; fd < numbers; ++fd)
    if (struct stat s{}; fstat(fd, &s) == 0 && known.starts_with(fmt::format("{}:{},", s.st_dev, s.st_ino))) return true;
  return false;
}

/// The program will read the launcher's input uncounted. Records that, and keeps the counter from the program.
void lose_input(const execution& wanted) {
  const int fd = number<int>(wanted.input, 10);
  if (fd < 0 || fcntl(fd, F_SETFD, FD_CLOEXEC) != 0 || !has_launchers_input(wanted.options)) return;
  void* const made = ::mmap(nullptr, sizeof(lower::input_count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (made != MAP_FAILED) static_cast<lower::input_count*>(made)->others |= lower::others_had_input;
}

/// Executes the program natively, as the kernel does.
[[noreturn]] void become_natively(const execution& wanted, const failure& why, const environment& get) {
  const bool loads_no_libraries = why.code() == exit_status::program_static || why.code() == exit_status::program_foreign;
  if (loads_no_libraries) leave_a_trace(wanted, get);
  lose_input(wanted);
  std::vector<std::string> texts = wanted.arguments;
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  block_signals(wanted.mask);
  ::execv(wanted.file.c_str(), pointers.data());
  throw failure(exit_status::program_not_executable, fmt::format("{}: {}", wanted.file, std::strerror(errno)));
}

/// out: the program, if mana can load it.  errors: failure
checked_program check(const execution& wanted, const environment& get) {
  if (std::error_code error; !fs::exists(wanted.file, error))
    throw failure(exit_status::program_not_found,
                  fmt::format("{} no longer has a name in any directory, or never had one", wanted.file),
                  "execute a file that has a name: mana loads a program by its name");
  std::vector<std::string> command{wanted.file};
  command.insert(command.end(), wanted.arguments.begin() + 1, wanted.arguments.end());
  checked_program program = check_program(command, get);
  if (!program.script) program.arguments[0] = wanted.arguments[0];
  return program;
}

/// errors: failure: mana cannot load the program as the kernel does, or not at all
void check_kind(const checked_program& program) {
  refuse_sanitized(program);
  refuse_other_rights(program.file);
}

checked_program check_or_become(const execution& wanted, const environment& get) {
  bool is_mpi_program = false;
  try {
    checked_program program = check(wanted, get);
    is_mpi_program = !program.linked.found.empty() || !program.linked.foreign.empty();
    check_kind(program);
    return program;
  } catch (const failure& why) {
    if (why.code() == exit_status::program_static) is_mpi_program = is_static_mpi_program(wanted.file);
    if (wanted.is_rank || is_mpi_program) throw;
    become_natively(wanted, why, get);
  }
}

}  // namespace

void follow(const std::vector<std::string>& words, const environment& get) {
  const execution wanted = parse(words);
  const checked_program program = check_or_become(wanted, get);
  const mpi_choice mpi = mpi_of(wanted, program, get);
  const installed_parts parts = find_parts(mpi);
  if (mpi.live && !program.linked.found.empty()) refuse_other_process_manager(*mpi.live, parts.lower_half, get);
  std::string preload;
  for (const auto& layer : program.layers) preload += layer.string() + ":";
  preload += parts.preload;
  if (const std::string directory = checkpoint_directory(wanted.options); !directory.empty())
    preload += make_stand_ins(mpi.abi, program.linked, directory);
  std::vector<std::string> arguments{"run", "--preload", preload, "--linked",
                                     program.linked.found.empty() ? "no" : "yes", "--abi", short_name(mpi.abi)};
  arguments.insert(arguments.end(), wanted.options.begin(), wanted.options.end());
  arguments.insert(arguments.end(), {"--taken-along", wanted.is_rank ? "rank" : "child", "--mask",
                                     std::to_string(wanted.mask), "--program", program.file.string(),
                                     "--input-count", wanted.input, "--"});
  arguments.insert(arguments.end(), program.arguments.begin(), program.arguments.end());
  become(parts.lower_half, arguments);
}

}  // namespace mana::tools
