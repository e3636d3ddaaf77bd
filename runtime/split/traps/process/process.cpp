#include <runtime/split/traps/process/process.hpp>

#include <runtime/split/call/trap.hpp>
#include <runtime/split/threads/twin.hpp>
#include <runtime/split/traps/process/ids.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/saved_state.hpp>
#include <runtime/split/window/shown_process.hpp>
#include <runtime/split/window/upper_half.hpp>

#include <mana/lower/own_program.hpp>

#include <asm/prctl.h>
#include <fcntl.h>
#include <linux/prctl.h>
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

bool ends_in(const char* text, const char* end) noexcept {
  const std::size_t n = std::strlen(text), m = std::strlen(end);
  return n >= m && std::strcmp(text + n - m, end) == 0;
}

/// The process whose file in /proc this is, according to the kernel's name for it; 0: none.
long process_of(long fd) noexcept {
  char link[40] = "/proc/self/fd/", name[64];
  char* at = link + std::strlen(link);
  for (long unit = 1'000'000'000; unit != 0; unit /= 10)
    if (fd >= unit || unit == 1) *at++ = static_cast<char>('0' + fd / unit % 10);
  const long n = raw_call(SYS_readlink, as_word(link), as_word(name), sizeof name - 1);
  constexpr char start[] = "/proc/";
  if (n < static_cast<long>(sizeof start) || std::memcmp(name, start, sizeof start - 1) != 0) return 0;
  name[n] = '\0';
  long process = 0;
  for (const char* c = name + sizeof start - 1; *c >= '0' && *c <= '9'; ++c) process = process * 10 + (*c - '0');
  return process;
}

/// Reads memory of a process under mana, at the same address as here.
bool read_from(long process, const void* from, void* into, std::size_t bytes) noexcept {
  iovec to{into, bytes}, there{const_cast<void*>(from), bytes};
  return raw_call(SYS_process_vm_readv, process, as_word(&to), 1, as_word(&there), 1, 0) == static_cast<long>(bytes);
}

/// Whether the process has the same kind of lower half as this one.
bool is_under_mana(long process) noexcept {
  char link[40] = "/proc/", *at = link + std::strlen(link);
  for (long unit = 1'000'000'000; unit != 0; unit /= 10)
    if (process >= unit) *at++ = static_cast<char>('0' + process / unit % 10);
  std::strcpy(at, "/exe");
  return shows_own_program(AT_FDCWD, link);
}

/// Makes a file that the program reads instead of one in /proc.     errors: -errno
long file_with(const char* name, const void* bytes, std::size_t n, long flags) noexcept {
  const long fd = raw_call(SYS_memfd_create, as_word(name), (flags & O_CLOEXEC) != 0 ? MFD_CLOEXEC : 0);
  if (is_error(fd)) return fd;
  raw_call(SYS_write, fd, as_word(bytes), static_cast<long>(n));
  raw_call(SYS_lseek, fd, 0, SEEK_SET);
  return fd;
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

path_end end_of(program_pointer<const char> path) noexcept {
  constexpr std::size_t most = 4096;      // of a path
  path_end end{};
  char part[256];
  for (std::size_t at = 0; at < most; at += sizeof part) {
    const std::size_t got = path.get_some(part, at, sizeof part), n = strnlen(part, got);
    const std::size_t kept = std::strlen(end.text), room = sizeof end.text - 1;
    const std::size_t added = std::min(n, room), stays = std::min(kept, room - added);
    std::memmove(end.text, end.text + kept - stays, stays);
    std::memcpy(end.text + stays, part + n - added, added);
    end.text[stays + added] = '\0';
    if (n < got) return end;
    if (got < sizeof part) break;
  }
  return {};
}

bool shows_own_program(long directory, const char* path) noexcept {
  return lower::shows_own_program([](auto... words) { return raw_call(words...); }, directory, path);
}

bool shows_own_program(long directory, program_pointer<const char> path, const path_end& end) noexcept {
  return lower::is_named_as_link(end.text) && lower::leads_to_own_program([](auto... words) { return raw_call(words...); }, directory,
                                                                          static_cast<long>(path.address()));
}

long open_own_text(long opened, const path_end& name, long flags) noexcept {
  const char* const path = name.text;
  const bool is_vector = ends_in(path, "auxv");
  const bool is_text = !kernel_shows_program() && (ends_in(path, "cmdline") || ends_in(path, "environ"));
  if (!is_vector && !is_text) return nothing_own;
  const long process = process_of(opened);
  if (process == 0 || !is_under_mana(process)) return nothing_own;
  shown_program shown;
  if (!read_from(process, &saved().shown, &shown, sizeof shown) || shown.auxiliary_words == 0 ||
      shown.auxiliary_words > std::size(shown.auxiliary))
    return nothing_own;
  if (is_vector) return file_with("auxv", shown.auxiliary, shown.auxiliary_words * sizeof *shown.auxiliary, flags);
  const program_places& p = shown.places;
  const bool is_arguments = ends_in(path, "cmdline");
  const std::uint64_t begin = is_arguments ? p.arguments_begin : p.environment_begin;
  const std::uint64_t end = is_arguments ? p.arguments_end : p.environment_end;
  return process == raw_call(SYS_getpid) ? file_with("text", reinterpret_cast<const void*>(begin), end - begin, flags)
                                         : nothing_own;
}

namespace {

constexpr std::size_t most_words = sizeof(shown_program::auxiliary) / sizeof(std::uint64_t);

/// Once the kernel has accepted a vector, the vector is the program's.
bool take_vector(program_pointer<const std::uint64_t> from, std::size_t bytes) noexcept {
  shown_program& shown = saved().shown;
  std::uint64_t words[most_words] = {};
  if (bytes > sizeof words || bytes % (2 * sizeof *words) != 0) return false;
  if (from.get(words, bytes / sizeof *words) != 0) return false;
  std::copy(std::begin(words), std::end(words), shown.auxiliary);
  shown.auxiliary_words = bytes / sizeof *words;
  return true;
}

/// prctl(PR_SET_MM, what, …). The kernel's break stays the lower half's.
long set_places(const trap& t) noexcept {
  const long what = t.arg(1);
  if (what == PR_SET_MM_START_BRK || what == PR_SET_MM_BRK) return -EPERM;
  prctl_mm_map all{};
  if (what != PR_SET_MM_MAP || t.arg(3) != sizeof all) {
    const long result = t.carry_out();
    if (!is_error(result) && what == PR_SET_MM_AUXV) take_vector(t.pointer<const std::uint64_t>(2), static_cast<std::size_t>(t.arg(3)));
    return result;
  }
  if (t.pointer<const prctl_mm_map>(2).get(all) != 0) return -EFAULT;
  set_lower_break(all);
  const long result = raw_call(SYS_prctl, t.arg(0), what, as_word(&all), sizeof all, t.arg(4));
  if (!is_error(result) && all.auxv_size != 0) take_vector({t.memory, reinterpret_cast<std::uintptr_t>(all.auxv)}, all.auxv_size);
  return result;
}

}  // namespace

/// prctl(PR_SET_SYSCALL_USER_DISPATCH, …): the kernel would send SIGSYS for each of mana's own calls, too, before mana
/// can let one through. The first would end the process. Kernels before 5.11 also say EINVAL.
long refuse_user_dispatch(trap& t) noexcept {
  if (t.arg(1) == 0) return t.carry_out();      // PR_SYS_DISPATCH_OFF
  constexpr char text[] = "mana: warning: prctl(PR_SET_SYSCALL_USER_DISPATCH) is refused (EINVAL): it would catch mana's own system "
                          "calls\n";
  static constinit std::atomic<bool> said{false};
  warn_once(said, {text, sizeof text - 1});
  return -EINVAL;
}

/// prctl(PR_SET_VMA, PR_SET_VMA_ANON_NAME, …); prctl(PR_GET_AUXV, buffer, size, 0, 0): its result is the kernel's.
long trap_prctl(trap& t) {
  if (t.arg(0) == PR_SET_MM) return set_places(t);
  if (t.arg(0) == PR_SET_SYSCALL_USER_DISPATCH) return refuse_user_dispatch(t);
  const long result = t.carry_out();
  if (t.arg(0) == PR_SET_VMA) {
    if (!is_error(result) && t.role != process_role::borrowing) note_advice();
    return result;
  }
  const shown_program& shown = saved().shown;
  if (is_error(result) || shown.auxiliary_words == 0) return result;
  const auto bytes = static_cast<std::size_t>(std::min(result, t.arg(2)));
  std::uint64_t words[most_words] = {};
  std::copy_n(shown.auxiliary, std::min<std::size_t>(shown.auxiliary_words, most_words), words);
  const char* const text = reinterpret_cast<const char*>(words);
  return t.pointer<char>(1).put(text, std::min(bytes, sizeof words)) == 0 ? result : -EFAULT;
}

/// readlink(path, buffer, size), readlinkat(directory, path, buffer, size)
long trap_readlink(trap& t) {
  const int path = t.number == SYS_readlinkat ? 1 : 0;
  const with_current_ids named(t, path);
  const auto name = t.pointer<const char>(path);
  const int size = static_cast<int>(t.arg(path + 2));
  if (size <= 0) return t.carry_out();
  if (const long itself = link_to_itself(t, path, size); itself != 0) return itself;
  if (!shows_own_program(path == 0 ? AT_FDCWD : t.arg(0), name, end_of(name))) return t.carry_out();
  const char* const program = saved().program;
  const std::size_t n = std::min(std::strlen(program), static_cast<std::size_t>(size));
  return t.pointer<char>(path + 1).put(program, n) == 0 ? static_cast<long>(n) : -EFAULT;
}

/// The process ends through the lower half's exit(), so that MPI and its launcher end in order. A child ends directly:
/// its lower half is a copy, or not its own.
long trap_exit_group(trap& t) {
  if (t.role == process_role::owner) leave_upper_half(t, leave_reason::process_ends);
  if (t.role == process_role::borrowing) leave_owners_block(t);
  return t.carry_out();
}

/// arch_prctl(ARCH_SET_GS, …): afterwards nobody could find the thread's block.
long trap_set_gs(trap&) {
  constexpr char text[] = "mana: error: arch_prctl(ARCH_SET_GS) is refused (EPERM): mana uses the segment register "
                          "gs, and cannot run a program that uses it too\n";
  raw_call(SYS_write, 2, as_word(text), sizeof text - 1);
  return -EPERM;
}

/// ptrace(request, …): the kernel stops a traced process at each signal, also at the signals that trap system calls.
long trap_ptrace(trap& t) {
  static constinit std::atomic<bool> said{false};
  warn_once(said, "mana: warning: the program traces a process (ptrace): until the traced process executes another "
                  "program, it stops with SIGSYS at mana's system calls. Continue it with that signal\n");
  return t.carry_out();
}

/// landlock_restrict_self(ruleset, flags): the kernel shows the restriction to nobody.
long trap_landlock(trap& t) {
  static constinit std::atomic<bool> said{false};
  const long result = t.carry_out();
  if (!is_error(result) && t.role == process_role::owner)
    warn_once(said, "mana: warning: the program restricts its access to files (landlock): after a restart it is not restricted\n");
  return result;
}

}  // namespace mana::split
