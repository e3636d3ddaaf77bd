// execve and execveat, in any role. Makes raw system calls only. The memory of this file belongs to one thread, which
// waits while a child of vfork's kind uses it.
#include <arch/stub_call.hpp>

#include <arch/elf.hpp>
#include <runtime/split/filter/input.hpp>
#include <runtime/split/filter/table.hpp>
#include <runtime/split/traps/process/follow.hpp>
#include <runtime/split/traps/process/ids.hpp>
#include <runtime/split/traps/process/process.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <iterator>

namespace mana::split {
namespace {

constexpr std::size_t page_bytes = 4096;
constexpr std::size_t head_bytes = 256;       // of a file: as much as the kernel looks at (BINPRM_BUF_SIZE)
constexpr int nested_scripts = 5;             // as the kernel allows

/// Set before the first program runs. Children have copies.
struct followers {
  std::vector<std::string> texts;
  std::vector<const char*> words;             // tool, "follow", and the words behind FILE
  std::atomic<bool> on{false};
  followed whose = followed::rank;
};
followers& the_followers() noexcept {
  static followers f;
  return f;
}

/// A thread's memory for the words of a call. It stays mapped, outside the window.
struct workspace {
  char* memory = nullptr;
  std::size_t bytes = 0;
};
constinit workspace workspaces[lower::max_threads];

/// The contents of a workspace.
struct call_texts {
  char path[path_bytes];  // as the call names it
  char file[path_bytes];  // FILE, if its name differs
  char interpreter[head_bytes + 1];
  char head[head_bytes + 1];
  char mask[17];
  char input[21];
};

/// out: null: no memory
call_texts* texts_with_room(const trap& t, std::size_t pointers) noexcept {
  workspace& w = workspaces[t.self->index];
  const std::size_t wanted = (sizeof(call_texts) + pointers * sizeof(char*) + page_bytes - 1) & ~(page_bytes - 1);
  if (w.bytes < wanted) {
    const long made = raw_call(SYS_mmap, 0, static_cast<long>(wanted), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (is_error(made)) return nullptr;
    if (w.memory != nullptr) raw_call(SYS_munmap, as_word(w.memory), static_cast<long>(w.bytes));
    w = {reinterpret_cast<char*>(made), wanted};
  }
  return reinterpret_cast<call_texts*>(w.memory);
}

/// Number of entries before the null; -1: not all of them are readable.
long count(program_pointer<const std::uint64_t> list) noexcept {
  if (list.is_null()) return 0;
  std::uint64_t some[64];
  for (std::size_t n = 0;; n += std::size(some)) {
    const std::size_t read = list.get_some(some, n, std::size(some));
    const auto end = std::find(some, some + read, std::uint64_t{0});
    if (end != some + read) return static_cast<long>(n) + (end - some);
    if (read != std::size(some)) return -1;
  }
}

bool may_execute(const char* file) noexcept {
  constexpr long by_effective_ids = 0x200;    // AT_EACCESS
  const long answer = raw_call(SYS_faccessat2, AT_FDCWD, as_word(file), X_OK, by_effective_ids);
  return answer == 0 || (answer == -ENOSYS && raw_call(SYS_faccessat, AT_FDCWD, as_word(file), X_OK) == 0);
}

/// mana's own parts start unchanged: they bring their own lower half.
bool is_own_part(const char* file) noexcept {
  const char* name = file;
  for (const char* c = file; *c != '\0'; ++c)
    if (*c == '/') name = c + 1;
  constexpr char start[] = "mana-lower-";
  if (std::strncmp(name, start, sizeof start - 1) == 0) return true;
  struct stat one, tool;
  return raw_call(SYS_stat, as_word(file), as_word(&one)) == 0 &&
         raw_call(SYS_stat, as_word(the_followers().words[0]), as_word(&tool)) == 0 && one.st_dev == tool.st_dev &&
         one.st_ino == tool.st_ino;
}

/// Number of bytes at the start of a regular file; -errno.
long read_head(const char* file, char* head) noexcept {
  struct stat s;
  const long seen = raw_call(SYS_stat, as_word(file), as_word(&s));
  if (is_error(seen)) return seen;
  if (!S_ISREG(s.st_mode)) return -EISDIR;
  const long fd = raw_call(SYS_openat, AT_FDCWD, as_word(file), O_RDONLY | O_CLOEXEC);
  if (is_error(fd)) return fd;
  const long n = raw_call(SYS_pread64, fd, as_word(head), static_cast<long>(head_bytes), 0);
  raw_call(SYS_close, fd);
  if (n >= 0) head[n] = '\0';
  return n;
}

bool is_blank(char c) noexcept { return c == ' ' || c == '\t'; }

/// Reads the interpreter from a script's first line.     out: false: there is none
bool interpreter_in(const char* head, char* name) noexcept {
  const char* c = head + 2;
  while (is_blank(*c)) ++c;
  std::size_t n = 0;
  while (c[n] != '\0' && c[n] != '\n' && !is_blank(c[n])) ++n;
  std::memcpy(name, c, n);
  name[n] = '\0';
  return n > 0;
}

bool is_for_this_machine(const char* head, long bytes) noexcept {
  Elf64_Ehdr h;
  if (bytes < static_cast<long>(sizeof h)) return false;
  std::memcpy(&h, head, sizeof h);
  return h.e_ident[EI_CLASS] == ELFCLASS64 && h.e_machine == arch::elf_machine && (h.e_type == ET_EXEC || h.e_type == ET_DYN);
}

/// Whether mana follows to `file`. false: the kernel refuses it, or mana cannot load it. In the latter case a rank
/// still follows, so that an error names the file; a child does not, since it is no MPI program of ours.
bool goes_along(const char* file, call_texts& texts, bool is_rank) noexcept {
  for (int depth = 0; depth <= nested_scripts; ++depth) {
    if (!may_execute(file) || is_own_part(file)) return false;
    const long n = read_head(file, texts.head);
    if (n == -EACCES) return is_rank;
    if (n < 4) return false;
    if (std::memcmp(texts.head, ELFMAG, SELFMAG) == 0) return is_rank || is_for_this_machine(texts.head, n);
    if (texts.head[0] != '#' || texts.head[1] != '!' || !interpreter_in(texts.head, texts.interpreter)) return false;
    file = texts.interpreter;
  }
  return false;
}

bool starts_with(const char* text, const char* start) noexcept {
  return std::strncmp(text, start, std::strlen(start)) == 0;
}

const char* write_number(std::uint64_t value, char* text, std::size_t room) noexcept {
  char* at = text + room;
  *--at = '\0';
  do *--at = static_cast<char>('0' + value % 10);
  while ((value /= 10) != 0);
  return at;
}

/// Reads a descriptor's link.     out: empty if there is none
void link_of(long fd, char* text) noexcept {
  char link[40] = "/proc/self/fd/", digits[21];
  std::strcat(link, write_number(static_cast<std::uint64_t>(fd), digits, sizeof digits));
  const long length = raw_call(SYS_readlink, as_word(link), as_word(text), path_bytes - 1);
  text[std::max(length, 0L)] = '\0';
}

/// The file that a call executes.
struct target {
  const char* file = nullptr;   // a name that is valid without descriptors that close on exec; null: there is none
  bool is_nameless = false;     // a file without a name (memfd, deleted): the text is its former name
};

target target_of(long fd, call_texts& texts) noexcept {
  link_of(fd, texts.file);
  struct stat by_name, by_number;
  if (is_error(raw_call(SYS_fstat, fd, as_word(&by_number))) || !S_ISREG(by_number.st_mode)) return {};
  const bool is_named = raw_call(SYS_stat, as_word(texts.file), as_word(&by_name)) == 0 &&
                        by_name.st_dev == by_number.st_dev && by_name.st_ino == by_number.st_ino;
  return {texts.file, !is_named};
}

target target_of(const trap& t, call_texts& texts) noexcept {
  const bool at = t.number == SYS_execveat;
  const char* const path = texts.path;
  const long flags = at ? t.arg(4) : 0;
  if (shows_own_program(at ? t.arg(0) : AT_FDCWD, path)) return {saved().program};
  if (at && *path == '\0') return (flags & AT_EMPTY_PATH) != 0 ? target_of(t.arg(0), texts) : target();
  if (!at && !starts_with(path, "/proc/self/fd/") && !starts_with(path, "/dev/fd/")) return {path};
  const long no_link = (flags & AT_SYMLINK_NOFOLLOW) != 0 ? O_NOFOLLOW : 0;
  const long fd = raw_call(SYS_openat, at ? t.arg(0) : AT_FDCWD, as_word(path), O_PATH | O_CLOEXEC | no_link);
  if (is_error(fd)) return {};
  const target found = target_of(fd, texts);
  raw_call(SYS_close, fd);
  return found;
}

void write_mask(signal_set mask, char* text) noexcept {
  for (int i = 15; i >= 0; --i, mask >>= 4) text[i] = "0123456789abcdef"[mask & 15];
  text[16] = '\0';
}

int path_number(const trap& t) noexcept { return t.number == SYS_execveat ? 1 : 0; }

program_pointer<const char> path_of(const trap& t) noexcept {
  return t.pointer<const char>(path_number(t));
}

/// Whether, without the filter, the kernel would give the program rights that the caller lacks.
bool brings_rights(const trap& t) noexcept {
  const bool at = t.number == SYS_execveat;
  const auto path = static_cast<long>(path_of(t).address());
  struct stat file;
  const long links = at ? t.arg(4) & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) : 0;
  if (is_error(raw_call(SYS_newfstatat, at ? t.arg(0) : AT_FDCWD, path, as_word(&file), links))) return false;
  if (!S_ISREG(file.st_mode) || (file.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) == 0) return false;
  const bool user = (file.st_mode & S_ISUID) != 0 && file.st_uid != raw_call(SYS_geteuid);
  const bool group = (file.st_mode & S_ISGID) != 0 && (file.st_mode & S_IXGRP) != 0 && file.st_gid != raw_call(SYS_getegid);
  return user || group || (!at && raw_call(SYS_getxattr, path, as_word("security.capability"), 0, 0) > 0);
}

void warn_of_rights(const trap& t) noexcept {
  static constinit std::atomic<bool> said{false};
  if (!has_given_up_rights() || !brings_rights(t) || said.exchange(true)) return;
  char path[512];
  const std::size_t length = strnlen(path, path_of(t).get_some(path, 0, sizeof path));
  constexpr char before[] = "mana: warning: ";
  constexpr char after[] = " is executed without the rights that its file gives (set-user-ID, set-group-ID, "
                           "capabilities): under mana's filter of system calls, a process gets no further rights\n";
  const iovec parts[] = {{const_cast<char*>(before), sizeof before - 1}, {path, length}, {const_cast<char*>(after), sizeof after - 1}};
  raw_call(SYS_writev, 2, as_word(parts), std::size(parts));
}

bool is_executable(const trap& t) noexcept {
  const bool at = t.number == SYS_execveat;
  const long links = at ? t.arg(4) & (AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW) : 0;
  struct stat file;
  return !is_error(raw_call(SYS_newfstatat, at ? t.arg(0) : AT_FDCWD, static_cast<long>(path_of(t).address()), as_word(&file), links)) &&
         S_ISREG(file.st_mode) && (file.st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)) != 0;
}

/// Allows any id of this process in the path.
bool names_own_program(trap& t) noexcept {
  const with_current_ids named(t, path_number(t));
  const auto path = path_of(t);
  return shows_own_program(t.number == SYS_execve ? AT_FDCWD : t.arg(0), path, end_of(path));
}

/// Does the same as the kernel alone. The stub makes the call: all signals are blocked here, and the executed program
/// would inherit that.
long as_natively(trap& t) noexcept {
  const auto path = path_of(t);
  if (t.role == process_role::owner) tell_of_exec(path);
  if (t.role != process_role::owner && is_executable(t)) lose_input();
  warn_of_rights(t);
  const bool is_own = names_own_program(t);
  const long number = continue_in_stub(t, stub().call);
  if (is_own) t.set_reg(path_number(t) == 0 ? arch::argument[0] : arch::argument[1], as_word(saved().program));
  return number;
}

/// The program's arguments, without the null.
struct argument_list {
  program_pointer<const std::uint64_t> words;
  long count;
};

long execute_tool(trap& t, call_texts& texts, const char* file, bool is_rank, const argument_list& arguments) noexcept {
  const auto& words = the_followers().words;
  const char** const all = reinterpret_cast<const char**>(&texts + 1);
  write_mask(t.mask(), texts.mask);
  long n = 0;
  all[n++] = words[0];
  all[n++] = words[1];
  all[n++] = is_rank ? "rank" : "child";
  all[n++] = texts.mask;
  all[n++] = file;
  const int input_count = give_count(true);
  if (input_count < 0) lose_input();
  all[n++] = input_count < 0 ? "-1" : write_number(static_cast<std::uint64_t>(input_count), texts.input, sizeof texts.input - 1);
  for (std::size_t i = 2; i < words.size(); ++i) all[n++] = words[i];
  if (arguments.count == 0) all[n++] = "";  // as newer kernels do
  const auto count = static_cast<std::size_t>(arguments.count);
  if (arguments.words.get(reinterpret_cast<std::uint64_t*>(all + n), count) != 0) {
    give_count(false);
    return -EFAULT;
  }
  all[n + arguments.count] = nullptr;
  if (t.role == process_role::borrowing) leave_owners_block(t);
  const long environment = t.number == SYS_execveat ? t.arg(3) : t.arg(2);
  const long error = raw_call(SYS_execve, as_word(words[0]), as_word(all), environment);
  if (t.role == process_role::borrowing) enter_owners_block(t);
  give_count(false);
  return error;
}

}  // namespace

void follow_executions(const std::string& tool, const std::vector<std::string>& words, followed whose) {
  followers& f = the_followers();
  f.texts = {tool, "follow"};
  f.texts.insert(f.texts.end(), words.begin(), words.end());
  for (const std::string& text : f.texts) f.words.push_back(text.c_str());
  f.whose = whose;
  f.on = true;
}

void end_following() noexcept { the_followers().on = false; }

/// execve(path, arguments, environment), execveat(directory, path, arguments, environment, flags)
long trap_execve(trap& t) {
  followers& f = the_followers();
  const bool is_rank = t.role == process_role::owner && f.whose != followed::child;
  if (!f.on || (!is_rank && f.whose == followed::process_alone)) return as_natively(t);
  argument_list arguments{t.pointer<const std::uint64_t>(t.number == SYS_execveat ? 2 : 1), 0};
  arguments.count = count(arguments.words);
  if (arguments.count < 0) return as_natively(t);  // the kernel reports the first fault
  call_texts* const texts = texts_with_room(t, f.words.size() + static_cast<std::size_t>(arguments.count) + 8);
  if (texts == nullptr) return -ENOMEM;
  const long length = [&] {
    const with_current_ids named(t, path_number(t));
    return path_of(t).get_text(texts->path, sizeof texts->path);
  }();
  if (is_error(length) || length == sizeof texts->path) return as_natively(t);
  const target wanted = target_of(t, *texts);
  if (wanted.file == nullptr) return as_natively(t);
  const bool along = wanted.is_nameless ? is_rank : goes_along(wanted.file, *texts, is_rank);
  return along ? execute_tool(t, *texts, wanted.file, is_rank, arguments) : as_natively(t);
}

}  // namespace mana::split
