#include "process.hpp"

#include "trap.hpp"
#include "twin.hpp"

#include "../loader/bridge.hpp"
#include "../loader/saved_state.hpp"
#include "../loader/upper_half.hpp"

#include <asm/prctl.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>

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

/// What cannot be read is not told: the call will fail.
void tell_of_exec(const char* path) noexcept {
  if (exec_listener == nullptr) return;
  char copy[512];
  std::size_t n = 0;
  for (bool ends = false; !ends && n + 1 < sizeof copy; n += ends ? 0 : 1) {      // by bytes: the next page may not be there
    iovec to{copy + n, 1}, from{const_cast<char*>(path) + n, 1};
    if (raw_call(SYS_process_vm_readv, raw_call(SYS_getpid), as_word(&to), 1, as_word(&from), 1, 0) != 1) return;
    ends = copy[n] == '\0';
  }
  copy[n] = '\0';
  exec_listener(copy);
}

void set_exec_listener(void (*listener)(const char* path)) noexcept { exec_listener = listener; }

bool names_own_program(const char* path) noexcept { return names_own(path, "/exe"); }
bool names_own_arguments(const char* path) noexcept { return names_own(path, "/cmdline"); }

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
  if (!names_own_program(t.pointer<const char>(path))) return t.carry_out();
  const long size = t.arg(path + 2);
  if (size <= 0) return -EINVAL;
  const char* const program = saved().program;
  const std::size_t n = std::min(std::strlen(program), static_cast<std::size_t>(size));
  std::memcpy(t.pointer<char>(path + 1), program, n);
  return static_cast<long>(n);
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

/// ptrace(request, …): the kernel stops a traced process at each signal, also at those by which system calls are trapped.
long trap_ptrace(trap& t) {
  static constinit std::atomic<bool> said{false};
  constexpr char text[] = "mana: warning: the program traces a process (ptrace): until that executes another program, it stops with "
                          "SIGSYS at system calls that mana carries out; let it go on with that signal\n";
  if (!said.exchange(true)) raw_call(SYS_write, 2, as_word(text), sizeof text - 1);
  return t.carry_out();
}

}  // namespace mana::split
