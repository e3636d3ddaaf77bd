// Calls that name a thread or process by its id, in a restarted process: the program may use an earlier id (INV-77).
#include <runtime/split/traps/process/ids.hpp>

#include <arch/stub_call.hpp>
#include <runtime/split/traps/waiting/clocks.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/former_ids.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string_view>

namespace mana::split {
namespace {

constexpr long io_of_process = 1;         // IOPRIO_WHO_PROCESS

long current(long id) noexcept { return current_id(static_cast<std::int32_t>(id)); }

/// For kill: a group has the id of its first process. If the program leads it, that is the program's id. 0 and -1 name
/// no id.
long current_of_kill(long argument) noexcept {
  const auto id = static_cast<std::int32_t>(argument);
  if (id >= -1) return id > 0 ? current(id) : id;
  if (id == INT32_MIN || !is_error(raw_call(SYS_kill, id, 0))) return id;
  const long now = current(-id);
  return now == raw_call(SYS_getpgid, 0) ? -now : id;
}

bool names_thread_second(long number) noexcept { return number == SYS_tgkill || number == SYS_rt_tgsigqueueinfo; }

/// Index of the argument that is an id; -1: none is.
int id_argument(const trap& t) noexcept {
  switch (t.number) {
    case SYS_getpriority:
    case SYS_setpriority: return t.arg(0) == PRIO_PROCESS ? 1 : -1;
    case SYS_ioprio_get:
    case SYS_ioprio_set: return t.arg(0) == io_of_process ? 1 : -1;
    default: return 0;
  }
}

constexpr std::string_view proc = "/proc/", task = "task";

/// The present form of a path's component: in `digits` if its number changes.
std::string_view current(std::string_view component, char (&digits)[12]) noexcept {
  std::int32_t id = 0;
  const char* const end = component.data() + component.size();
  const auto read = std::from_chars(component.data(), end, id);
  if (read.ec != std::errc() || read.ptr != end || current(id) == id) return component;
  return {digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, current(id)).ptr - digits)};
}

/// out: whether `to` holds another path, with its null
bool rewrite(std::string_view path, char* to, std::size_t room) noexcept {
  bool changed = false, is_id = true;          // the next component is: the first, or one behind "task"
  char* end = std::copy(proc.begin(), proc.end(), to);
  for (std::string_view left = path.substr(proc.size()); !left.empty();) {
    const std::size_t length = std::min(left.find('/'), left.size());
    char digits[12];
    const std::string_view given = left.substr(0, length), wanted = is_id ? current(given, digits) : given;
    left.remove_prefix(std::min(length + 1, left.size()));
    changed = changed || wanted.data() == digits;
    is_id = given == task;
    if (static_cast<std::size_t>(end - to) + wanted.size() + 2 > room) return false;
    end = std::copy(wanted.begin(), wanted.end(), end);
    if (given.data() + length < path.data() + path.size()) *end++ = '/';
  }
  *end = '\0';
  return changed;
}

}  // namespace

with_current_ids::with_current_ids(trap& t, int path) noexcept : trap_(t), path_(path), program_(t.arg(path)) {
  char given[sizeof text_];
  if (saved().former.count == 0 || t.pointer<const char>(path).get_some(given, 0, proc.size()) != proc.size()) return;
  if (std::string_view(given, proc.size()) != proc) return;
  const long length = t.pointer<const char>(path).get_text(given, sizeof given);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof given) return;
  if (rewrite({given, static_cast<std::size_t>(length)}, text_, sizeof text_)) t.set_arg(path, as_word(text_));
}

long link_to_itself(const trap& t, int path, int size) noexcept {
  const former_ids& ids = saved().former;
  char name[20];
  if (ids.count == 0 || raw_call(SYS_getpid) != ids.process) return 0;
  const long length = t.pointer<const char>(path).get_text(name, sizeof name);
  if (length < 0 || static_cast<std::size_t>(length) >= sizeof name) return 0;
  const std::string_view given(name, static_cast<std::size_t>(length));
  if (given != "/proc/self" && given != "/proc/thread-self") return 0;
  char text[40];
  char* end = std::to_chars(text, text + 12, told_process_now(ids.process)).ptr;
  if (given == "/proc/thread-self") {
    end = std::copy_n("/task/", 6, end);
    end = std::to_chars(end, text + sizeof text, told_now(static_cast<std::int32_t>(raw_call(SYS_gettid)))).ptr;
  }
  const auto bytes = std::min(static_cast<std::size_t>(end - text), static_cast<std::size_t>(size));
  return t.pointer<char>(path + 1).put(text, bytes) == 0 ? static_cast<long>(bytes) : -EFAULT;
}

void tell_sender(program_pointer<siginfo_t> wanted) noexcept {
  siginfo_t info{};
  if (wanted.is_null() || wanted.get(info) != 0) return;
  if (info.si_code != SI_USER && info.si_code != SI_TKILL && info.si_code != SI_QUEUE) return;
  info.si_pid = told_process_now(info.si_pid);
  wanted.put(info);
}

/// clock_getres(clock, resolution): libc's clock_getcpuclockid uses it to find out whether such a process exists.
long trap_clock_getres(trap& t) { return raw_call(t.number, kernels_clock(static_cast<int>(t.arg(0))), t.arg(1)); }

/// kill(process, …), tkill(thread, …), tgkill(process, thread, …), rt_sigqueueinfo(process, …), and
/// rt_tgsigqueueinfo(process, thread, …). The stub makes them with the program's own signal mask: a signal to its own
/// process must arrive before the call returns. If a checkpoint comes before the stub's call, the program's call is
/// made again, since the ids here are this process's.
long trap_signal_to_id(trap& t) {
  const long first = t.number == SYS_kill ? current_of_kill(t.arg(0)) : current(t.arg(0));
  const long second = names_thread_second(t.number) ? current(t.arg(1)) : t.reg(arch::argument[1]);
  const long number = continue_in_timed_call(t);
  t.set_reg(arch::argument[0], first);
  t.set_reg(arch::argument[1], second);
  return number;
}

/// Carries out a call that writes an id of a process into a member of its result.
template <class T, class M>
long with_told(trap& t, program_pointer<T> written, M T::*process) {
  const long result = t.carry_out();
  T value{};
  if (is_error(result) || saved().former.count == 0 || written.get(value) != 0) return result;
  value.*process = told_process_now(value.*process);
  return written.put(value) == 0 ? result : -EFAULT;
}

/// getsockopt(fd, SOL_SOCKET, SO_PEERCRED, credentials, size): INV-90
long trap_peer(trap& t) {
  std::uint32_t size = 0;
  const bool is_whole = t.pointer<const std::uint32_t>(4).get(size) == 0 && size >= sizeof(ucred);
  return t.arg(1) == SOL_SOCKET && is_whole ? with_told(t, t.pointer<ucred>(3), &ucred::pid) : t.carry_out();
}

/// ioctl(fd, TIOCGPGRP, group), TIOCGSID, and TIOCSPGRP. The stub makes the last one, since it may stop the process
/// (SIGTTOU).
long trap_terminal(trap& t) {
  if (t.arg(1) == TIOCGPTPEER) return trap_new_descriptor(t);
  struct only { std::int32_t id; };
  if (t.arg(1) != TIOCSPGRP) return with_told(t, t.pointer<only>(2), &only::id);
  only group{};
  const bool is_given = t.pointer<const only>(2).get(group) == 0;
  if (is_given && group.id > 0) group.id = static_cast<std::int32_t>(-current_of_kill(-group.id));
  const long number = continue_in_timed_call(t);
  if (!is_given) return number;
  in_frame<only>(t.reg(arch::stack), STUB_CALL_PAIR) = group;
  t.set_reg(arch::argument[2], t.reg(arch::stack) + STUB_CALL_PAIR);
  return number;
}

/// wait4(-group, …), waitid(P_PGID, group, …): the stub makes them, since they wait.
long trap_wait_for_group(trap& t) {
  const bool by_type = t.number == SYS_waitid;
  const auto group = static_cast<std::int32_t>(t.arg(by_type ? 1 : 0));
  const long now = by_type ? (group > 0 ? -current_of_kill(-group) : group) : current_of_kill(group);
  const long number = continue_in_timed_call(t);
  t.set_reg(by_type ? arch::argument[1] : arch::argument[0], now);
  return number;
}

/// getpid(), getppid(), getpgrp(), getpgid(process), getsid(process): INV-90. A group or a session has the id of its
/// first process.
long trap_told_process(trap& t) {
  const long asked = t.number == SYS_getpgid || t.number == SYS_getsid ? current(t.arg(0)) : 0;
  const long id = raw_call(t.number, asked);
  return is_error(id) ? id : told_process_now(static_cast<std::int32_t>(id));
}

/// gettid(). In a child of the program it gives the kernel's id.
long trap_told_thread(trap& t) {
  const auto id = static_cast<std::int32_t>(raw_call(t.number));
  return raw_call(SYS_getpid) == saved().former.process ? told_now(id) : id;
}

/// fcntl(fd, F_SETOWN, who), F_GETOWN, F_SETOWN_EX, F_GETOWN_EX, F_GETLK: INV-90
long trap_owner(trap& t) {
  const long command = t.arg(1);
  if (saved().former.count == 0) return t.carry_out();
  if (command == F_SETOWN) {
    const auto who = static_cast<std::int32_t>(t.arg(2));
    return raw_call(t.number, t.arg(0), command, who < 0 && who != INT32_MIN ? -current(-who) : current(who));
  }
  if (command == F_GETOWN) {
    const auto who = static_cast<std::int32_t>(t.carry_out());
    return who < 0 && -who == saved().former.process ? -told_process_now(-who) : told_process_now(who);
  }
  if (command == F_GETLK) return with_told(t, t.pointer<struct flock>(2), &flock::l_pid);
  f_owner_ex owner{};
  const auto wanted = t.pointer<f_owner_ex>(2);
  if (command == F_SETOWN_EX) {
    if (wanted.get(owner) != 0) return t.carry_out();
    owner.pid = current_id(owner.pid);
    return raw_call(t.number, t.arg(0), command, as_word(&owner));
  }
  const long result = t.carry_out();
  if (is_error(result) || wanted.get(owner) != 0) return result;
  owner.pid = owner.type == F_OWNER_TID ? told_now(owner.pid) : told_process_now(owner.pid);
  return wanted.put(owner) == 0 ? result : -EFAULT;
}

/// access(path, …), stat(path, …), …, faccessat(directory, path, …), …: for a path in /proc
long trap_path_of_id(trap& t) {
  constexpr int by_directory[] = {SYS_faccessat, number_of_faccessat2, SYS_newfstatat, SYS_statx, SYS_name_to_handle_at};
  const bool second = std::ranges::find(by_directory, t.number) != std::end(by_directory);
  const with_current_ids named(t, second ? 1 : 0);
  return t.carry_out();
}

/// kcmp(process, process, …), setpgid(process, group): a group has the id of its first process.
long trap_call_of_two_ids(trap& t) {
  return raw_call(t.number, current(t.arg(0)), current(t.arg(1)), t.arg(2), t.arg(3), t.arg(4));
}

/// capget(header, data), capset(header, data): the header contains the id. The kernel may write its version there.
long trap_capabilities(trap& t) {
  struct { std::uint32_t version; std::int32_t id; } header{};
  const auto wanted = t.pointer<decltype(header)>(0);
  if (wanted.get(header) != 0) return t.carry_out();
  const std::int32_t id = header.id;
  header.id = current_id(id);
  const long result = raw_call(t.number, as_word(&header), t.arg(1));
  header.id = id;
  return result == -EINVAL && wanted.put(header) != 0 ? -EFAULT : result;
}

/// Calls about a thread's or process's scheduling, limits and memory.
long trap_call_of_id(trap& t) {
  long arguments[6];
  for (int i = 0; i < 6; ++i) arguments[i] = t.arg(i);
  if (const int i = id_argument(t); i >= 0) arguments[i] = current(arguments[i]);
  return raw_call(t.number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

/// timer_create(clock, event, timer). With SIGEV_THREAD, libc names its own thread that runs the functions.
long trap_timer_create(trap& t) {
  const int clock = kernels_clock(static_cast<int>(t.arg(0)));
  const auto wanted = t.pointer<const sigevent>(1);
  if (wanted.is_null()) return raw_call(t.number, clock, 0, t.arg(2));
  sigevent event{};
  if (wanted.get(event) != 0) return raw_call(t.number, clock, untouchable, t.arg(2));
  if ((event.sigev_notify & SIGEV_THREAD_ID) != 0) event._sigev_un._tid = current_id(event._sigev_un._tid);
  return raw_call(t.number, clock, as_word(&event), t.arg(2));
}

/// pidfd_open(process, flags)
long trap_pidfd_open(trap& t) {
  const long process = t.arg(0);
  t.set_reg(arch::argument[0], current(process));
  const long fd = trap_new_descriptor(t);
  t.set_reg(arch::argument[0], process);
  return fd;
}

}  // namespace mana::split
