#include "process.hpp"

#include "trap.hpp"
#include "twin.hpp"

#include "../loader/bridge.hpp"
#include "../loader/saved_state.hpp"
#include "../loader/upper_half.hpp"

#include <asm/prctl.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>

namespace mana::split {
namespace {

constinit std::atomic<int> stands_for_process{-1};

using exec_hook = void (*)(const char* path);
constinit exec_hook exec_listener = nullptr;

/// The rest of `text` after `start`, or null.
const char* after(const char* text, const char* start) noexcept {
  const std::size_t n = std::strlen(start);
  return text != nullptr && std::strncmp(text, start, n) == 0 ? text + n : nullptr;
}

/// The rest of `text` after the decimal number `value`, or null.
const char* after_number(const char* text, long value) noexcept {
  char digits[24];
  char* end = digits + sizeof digits;
  char* begin = end;
  *--begin = '\0';
  for (; value > 0; value /= 10) *--begin = static_cast<char>('0' + value % 10);
  return after(text, begin);
}

/// True for the file `name` of this process's directory in /proc.
bool names_own(const char* path, const char* name) noexcept {
  const char* rest = after(path, "/proc/");
  if (rest == nullptr) return false;
  const char* const self = after(rest, "self");
  const char* const thread = after(rest, "thread-self");
  const char* const number = *rest >= '1' && *rest <= '9' ? after_number(rest, raw_call(SYS_getpid)) : nullptr;
  for (const char* file : {self, thread, number})
    if (file != nullptr && std::strcmp(file, name) == 0) return true;
  return false;
}

}  // namespace

void close_in_forked_children(int fd) noexcept { stands_for_process.store(fd, std::memory_order_relaxed); }

void close_what_stands_for_parent() noexcept {
  const int fd = stands_for_process.exchange(-1, std::memory_order_relaxed);
  if (fd >= 0) raw_call(SYS_close, fd);
}

void tell_of_exec(program_pointer<const char> path) noexcept {
  if (exec_listener == nullptr) return;
  char copy[512];
  const long length = path.get_text(copy, sizeof copy - 1);
  if (is_error(length)) return;
  copy[length] = '\0';
  exec_listener(copy);
}

void set_exec_listener(void (*listener)(const char* path)) noexcept { exec_listener = listener; }

own_file named_by(const char* path) noexcept {
  return names_own(path, "/exe")       ? own_file::program
         : names_own(path, "/cmdline") ? own_file::arguments
                                       : own_file::none;
}

/// Most paths are told apart by their beginning, which costs one look at memory.
own_file named_by(program_pointer<const char> path) noexcept {
  constexpr char start[] = {'/', 'p', 'r', 'o', 'c', '/'};
  char text[64];  // names of these files are shorter
  if (path.get(text, sizeof start) != 0 || std::memcmp(text, start, sizeof start) != 0) return own_file::none;
  const long length = path.get_text(text, sizeof text);
  return is_error(length) || length == sizeof text ? own_file::none : named_by(text);
}

long open_own_arguments(long flags) noexcept {
  if ((flags & O_ACCMODE) != O_RDONLY) return -EACCES;
  const long fd = raw_call(SYS_memfd_create, as_word("cmdline"), (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0);
  if (is_error(fd)) return fd;
  const saved_state& state = saved();
  raw_call(SYS_write, fd, static_cast<long>(state.arguments_begin),
           static_cast<long>(state.arguments_end - state.arguments_begin));
  raw_call(SYS_lseek, fd, 0, SEEK_SET);
  return fd;
}

/// readlink(path, buffer, size), readlinkat(directory, path, buffer, size)
long trap_readlink(trap& t) {
  const int path = t.number == SYS_readlinkat ? 1 : 0;
  if (named_by(t.pointer<const char>(path)) != own_file::program) return t.carry_out();
  const auto size = static_cast<int>(t.arg(path + 2));
  if (size <= 0) return -EINVAL;
  const char* const program = saved().program;
  const std::size_t n = std::min(std::strlen(program), static_cast<std::size_t>(size));
  return t.pointer<char>(path + 1).put(program, n) == 0 ? static_cast<long>(n) : -EFAULT;
}

/// The process ends through the lower half's exit(), so that the end of MPI and its launcher is orderly. A child just
/// ends: what it has of the lower half is a copy, or not its own.
long trap_exit_group(trap& t) {
  if (t.role == process_role::owner) leave_upper_half(t, leave_reason::process_ends);
  if (t.role == process_role::borrowing) leave_owners_block(t);
  return t.carry_out();
}

/// arch_prctl(ARCH_SET_GS, …): the thread's block could not be found any more.
long trap_set_gs(trap&) {
  constexpr char text[] = "mana: error: arch_prctl(ARCH_SET_GS) is refused (EPERM): the segment register gs is mana's own, "
                          "and a program that uses it cannot be run under mana\n";
  raw_call(SYS_write, 2, as_word(text), sizeof text - 1);
  return -EPERM;
}

}  // namespace mana::split
