// Calls that name a thread or process by its id, in a process that was restarted: the program may have the id of before (INV-77).
#include "clocks.hpp"
#include "stub_call.hpp"
#include "trap.hpp"

#include "../loader/bridge.hpp"
#include "../loader/former_ids.hpp"

#include <sys/resource.h>

#include <cerrno>
#include <csignal>

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

}  // namespace

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
