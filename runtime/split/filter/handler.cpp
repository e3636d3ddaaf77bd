// The SIGSYS handler. The kernel enters it with the upper half's thread pointer.
#include <runtime/split/filter/table.hpp>
#include <runtime/split/traps/process/follow.hpp>
#include <runtime/split/traps/signals/signals.hpp>

#include <runtime/split/window/bridge.hpp>

#include <mana/lower/cross.hpp>

#include <pthread.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace mana::split {
namespace {

/// The pid of the process that owns the memory that this process sees.
constinit std::atomic<long> owner_pid{0};
constinit std::atomic<bool> is_forked{false};

/// The handler of each system call's number; larger numbers (the stub's report) are looked up in the table.
constexpr std::size_t direct_rows = 512;
std::array<trap_function, direct_rows> by_number{};

trap_function function_of(long number) noexcept {
  if (number >= 0 && static_cast<std::size_t>(number) < direct_rows) return by_number[static_cast<std::size_t>(number)];
  const auto rows = trap_table(trapped_in::every_process);
  const auto row = std::find_if(rows.begin(), rows.end(), [=](const trap_row& r) { return r.number == number; });
  return row == rows.end() ? nullptr : row->function;
}

process_role role_now() noexcept {
  if (raw_call(SYS_getpid) != owner_pid.load(std::memory_order_relaxed)) return process_role::borrowing;
  return is_forked.load(std::memory_order_relaxed) ? process_role::forked : process_role::owner;
}

void carry_out(siginfo_t* info, void* context) noexcept {
  lower::thread_block* const self = lower::this_thread();
  auto* const frame = static_cast<ucontext_t*>(context);
  const process_role role = role_now();
  trap call{
      frame,
      info->si_syscall,
      self,
      read_thread_pointer(),
      role,
      program_memory(static_cast<std::uintptr_t>(arch::registers(*frame)[arch::stack]), role == process_role::owner)};
  ++self->inside;
  self->upper_fs = call.upper_fs;
  self->in_lower = 1;
  write_thread_pointer(self->lower_fs);
  const trap_function function = function_of(call.number);
  call.set_reg(arch::result, function == nullptr ? -ENOSYS : function(call));
  write_thread_pointer(call.upper_fs);
  self->in_lower = 0;
  --self->inside;
}

/// The stub calls it through the bridge.
void on_trap(int, void* info, void* context) noexcept { carry_out(static_cast<siginfo_t*>(info), context); }

/// The lower half's libc installs its handler of signal 33, and unblocks the signal, when it makes its first thread. A
/// thread made here finishes that before the signal is ours.
void have_libc_take_its_signals() noexcept {
  pthread_t first;
  if (pthread_create(&first, nullptr, [](void*) -> void* { return nullptr; }, nullptr) == 0) pthread_join(first, nullptr);
}

}  // namespace

bool is_forked_copy() noexcept { return role_now() != process_role::owner; }

void own_process() noexcept {
  owner_pid.store(raw_call(SYS_getpid), std::memory_order_relaxed);
  is_forked.store(false, std::memory_order_relaxed);
}

void own_forked_process() noexcept {
  owner_pid.store(raw_call(SYS_getpid), std::memory_order_relaxed);
  is_forked.store(true, std::memory_order_relaxed);
  give_back_request_signals();
}

void install_trap_handlers() noexcept {
  have_libc_take_its_signals();
  using enum trapped_in;
  for (const trapped_in where : {every_process, moved_clocks, restarted, told_ids})
    for (const trap_row& row : trap_table(where))
      if (row.number < direct_rows) by_number[row.number] = row.function;
  lower::the_bridge().trap_handler = on_trap;
  const kernel_sigaction on_sigsys{stub().trap_trampoline, SA_SIGINFO | with_restorer, stub().restore_rt, every_signal};
  const kernel_sigaction on_park{stub().park_trampoline, SA_SIGINFO | SA_RESTART | with_restorer, stub().restore_rt,
                                 every_signal & ~one_signal(SIGSYS)};
  set_action(SIGSYS, &on_sigsys, nullptr);
  set_action(lower::park_signal, &on_park, nullptr);
  install_request_handlers();
  const signal_set ours = our_signals();
  raw_call(SYS_rt_sigprocmask, SIG_UNBLOCK, as_word(&ours), 0, signal_set_bytes);
}

}  // namespace mana::split
