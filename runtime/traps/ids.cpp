// Calls that name a thread or process by its id, in a process that was restarted: the program may have the id of before (INV-77).
#include "ids.hpp"

#include "clocks.hpp"
#include "stub_call.hpp"

#include "../loader/bridge.hpp"
#include "../loader/former_ids.hpp"
#include "../loader/saved_state.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <string_view>

namespace mana::split {
namespace {

constexpr long io_of_process = 1;         // IOPRIO_WHO_PROCESS

long current(long id) noexcept { return current_id(static_cast<std::int32_t>(id)); }

/// Of kill: a group has its first process's id, which is the program's while that leads one. 0 and -1 name no id.
long current_of_kill(long argument) noexcept {
  const auto id = static_cast<std::int32_t>(argument);
  if (id >= -1) return id > 0 ? current(id) : id;
  if (id == INT32_MIN || !is_error(raw_call(SYS_kill, id, 0))) return id;
  const long now = current(-id);
  return now == raw_call(SYS_getpgid, 0) ? -now : id;
}

bool names_thread_second(long number) noexcept { return number == SYS_tgkill || number == SYS_rt_tgsigqueueinfo; }

/// Index of the argument that is an id; -1: it names something else.
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

/// What a component of a path is to be, in `digits` if it is another number.
std::string_view current(std::string_view component, char (&digits)[12]) noexcept {
  std::int32_t id = 0;
  const char* const end = component.data() + component.size();
  const auto read = std::from_chars(component.data(), end, id);
  if (read.ec != std::errc() || read.ptr != end || current(id) == id) return component;
  return {digits, static_cast<std::size_t>(std::to_chars(digits, digits + sizeof digits, current(id)).ptr - digits)};
}

/// out: whether `to` holds another path, with its null
bool rewrite(std::string_view path, char* to, std::size_t room) noexcept {
  bool changed = false, is_id = true;          // of the next component: the first, and one behind "task"
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

/// kill(process, …), tkill(thread, …), tgkill(process, thread, …), rt_sigqueueinfo(process, …), rt_tgsigqueueinfo(process, thread, …).
/// Made by the stub, with the program's own signal mask: a signal to itself comes before the call returns. Where a checkpoint
/// comes before the stub's call, the program's is made again, since the ids here are this process's.
long trap_signal_to_id(trap& t) {
  const long first = t.number == SYS_kill ? current_of_kill(t.arg(0)) : current(t.arg(0));
  const long second = names_thread_second(t.number) ? current(t.arg(1)) : t.reg(REG_RSI);
  const long number = continue_in_timed_call(t);
  t.set_reg(REG_RDI, first);
  t.set_reg(REG_RSI, second);
  return number;
}

/// kcmp(process, process, …), setpgid(process, group): a group has its first process's id.
long trap_call_of_two_ids(trap& t) {
  return raw_call(t.number, current(t.arg(0)), current(t.arg(1)), t.arg(2), t.arg(3), t.arg(4));
}

/// capget(header, data), capset(header, data): the id is in the header, into which the kernel may write its version.
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

/// Of a thread's or process's place among others, its limits and its memory.
long trap_call_of_id(trap& t) {
  long arguments[6];
  for (int i = 0; i < 6; ++i) arguments[i] = t.arg(i);
  if (const int i = id_argument(t); i >= 0) arguments[i] = current(arguments[i]);
  return raw_call(t.number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

/// timer_create(clock, event, timer): libc's for SIGEV_THREAD name the thread of libc's that runs the functions.
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
  t.set_reg(REG_RDI, current(process));
  const long fd = trap_new_descriptor(t);
  t.set_reg(REG_RDI, process);
  return fd;
}

}  // namespace mana::split
