// Dispositions and masks of signals. The program's handlers run through the stub's trampoline. Some signals are mana's,
// whatever the program asks.
#include <runtime/split/traps/signals/signals.hpp>

#include <runtime/split/traps/signals/lower_handlers.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/held_signals.hpp>
#include <runtime/split/window/saved_state.hpp>
#include <runtime/split/window/upper_half.hpp>

#include <sys/resource.h>

#include <csignal>
#include <cerrno>
#include <cstring>
#include <mutex>
#include <utility>

namespace mana::split {
namespace {

constinit raw_lock dispositions_lock;

constinit request_sources requests;

bool is_ours(int signal) noexcept { return (our_signals() & one_signal(signal)) != 0; }
void record(int signal, const kernel_sigaction& action) noexcept {
  lower::bridge& b = lower::the_bridge();
  saved().signal_masks[signal] = action.mask;
  b.signal_flags[signal] = action.flags;
  b.signal_handlers[signal] = action.handler;
}

kernel_sigaction recorded(int signal) noexcept {
  const lower::bridge& b = lower::the_bridge();
  return {b.signal_handlers[signal], b.signal_flags[signal], stub().restore_rt, saved().signal_masks[signal]};
}

/// The action that the kernel gets instead of the program's.
kernel_sigaction as_installed(kernel_sigaction action) noexcept {
  if (!is_function(action.handler)) return action;
  if (is_lower_handler(action.handler)) return lower_action_installed(action.flags, without_ours(action.mask));
  return {stub().signal_trampoline, action.flags | SA_SIGINFO | with_restorer, stub().restore_rt,
          without_ours(action.mask)};
}

/// Records before a function is installed and after one is removed, so that the trampoline always finds a function.
long set_disposition(int signal, const kernel_sigaction& wanted) noexcept {
  const kernel_sigaction to_install = as_installed(wanted);
  const bool is_programs = is_function(wanted.handler) && !is_lower_handler(wanted.handler);
  if (is_programs) record(signal, wanted);
  const long result = set_action(signal, &to_install, nullptr);
  if (!is_programs && !is_error(result)) record(signal, is_function(wanted.handler) ? kernel_sigaction{} : wanted);
  return result;
}

}  // namespace

signal_set our_signals() noexcept { return one_signal(SIGSYS) | one_signal(lower::park_signal) | requests.signals; }

void set_request_sources(const request_sources& wanted) noexcept {
  requests = wanted;
  raw_call(SYS_rt_sigprocmask, SIG_BLOCK, as_word(&requests.signals), 0, signal_set_bytes);
}

void install_request_handlers() noexcept {
  lower::bridge& b = lower::the_bridge();
  b.requests = requests.descriptor;
  b.stop_signals = requests.stop_signals;
  b.our_signals = our_signals();
  b.end_signals = without_ours(lower::end_signals);
  const kernel_sigaction on_request{stub().request_trampoline, SA_SIGINFO | SA_RESTART | with_restorer,
                                    stub().restore_rt, every_signal & ~one_signal(SIGSYS)};
  for (int signal = 1; signal <= signal_count; ++signal)
    if ((requests.signals & one_signal(signal)) != 0) set_action(signal, &on_request, nullptr);
}

namespace {

constinit signal_set ignored_at_first = 0;

/// Call it before the constructors of the lower half's libraries, some of which take over signals.
void note_ignored() noexcept {
  for (int signal = 1; signal <= signal_count; ++signal)
    if (kernel_sigaction now{}; !is_error(set_action(signal, nullptr, &now)) && now.handler == 1 /* SIG_IGN */)
      ignored_at_first |= one_signal(signal);
}

[[gnu::used, gnu::section(".preinit_array")]] void (*const at_first)() noexcept = note_ignored;

}  // namespace

void adopt_dispositions() noexcept {
  for (int signal = 1; signal <= signal_count; ++signal) {
    if ((ignored_at_first & one_signal(signal)) == 0) continue;
    const kernel_sigaction ignoring{1 /* SIG_IGN */, 0, 0, 0};
    if (is_ours(signal)) record(signal, ignoring);
    else set_disposition(signal, ignoring);
  }
  adopt_lower_handlers();
}

void take_back_handlers() noexcept {
  adopt_lower_handlers();
  install_request_handlers();
  for (int signal = 1; signal <= signal_count; ++signal) {
    const kernel_sigaction action = recorded(signal);
    if (!is_function(action.handler) || is_ours(signal)) continue;
    const kernel_sigaction to_install = as_installed(action);
    set_action(signal, &to_install, nullptr);
  }
}

void give_back_request_signals() noexcept {
  const signal_set signals = std::exchange(requests.signals, 0);
  lower::the_bridge().end_signals = 0;      // the job is its parent's
  for (int signal = 1; signal <= signal_count; ++signal) {
    if ((signals & one_signal(signal)) == 0) continue;
    const kernel_sigaction to_install = as_installed(recorded(signal));
    set_action(signal, &to_install, nullptr);
  }
}

namespace {

/// in: wanted  null: the program only asks
long change_disposition(int signal, const kernel_sigaction* wanted, kernel_sigaction& before) noexcept {
  const std::scoped_lock hold(dispositions_lock);
  if (is_ours(signal)) {
    before = recorded(signal);
    if (wanted != nullptr) record(signal, *wanted);
    return 0;
  }
  const long known = set_action(signal, nullptr, &before);
  if (is_error(known)) return known;
  if (before.handler == stub().signal_trampoline) before = recorded(signal);
  else if (is_lower_handler(before.handler)) before = lower_action_as_seen(signal);
  return wanted == nullptr ? 0 : set_disposition(signal, *wanted);
}

}  // namespace

/// As the kernel, reads the argument directly after a check of the set's size, and writes the result after the action
/// is set.
long trap_rt_sigaction(trap& t) {
  if (t.arg(3) != signal_set_bytes) return -EINVAL;
  const auto given = t.pointer<const kernel_sigaction>(1);
  const auto old = t.pointer<kernel_sigaction>(2);
  kernel_sigaction wanted{};  // read before the old action is written, perhaps to the same memory
  if (!given.is_null() && given.get(wanted) != 0) return -EFAULT;
  const int signal = static_cast<int>(t.arg(0));
  const bool is_fixed = signal == SIGKILL || signal == SIGSTOP;
  if (signal < 1 || signal > signal_count || (is_fixed && !given.is_null())) return -EINVAL;
  if (t.role == process_role::borrowing) return is_ours(signal) ? 0 : t.carry_out();

  kernel_sigaction before{};
  const long result = change_disposition(signal, given.is_null() ? nullptr : &wanted, before);
  if (is_error(result)) return result;
  return old.is_null() ? 0 : old.put(before);
}

/// The mask as the program has set it.
signal_set programs_mask(trap& t) noexcept { return t.mask() | (blocks_sigsys(*t.self) != 0 ? sigsys_set : 0); }

/// The frame holds the thread's mask: the kernel loads it when the trap returns. A child that borrows the memory has
/// its owner's block, whose word must not change.
void set_programs_mask(trap& t, signal_set mask) noexcept {
  t.mask() = without_ours(mask);
  if (t.role == process_role::borrowing) return;
  blocks_sigsys(*t.self) = (mask & sigsys_set) != 0 ? 1 : 0;
  if (blocks_sigsys(*t.self) == 0) release_held_sigsys(*t.self);
}

long trap_rt_sigprocmask(trap& t) {
  if (t.arg(3) != signal_set_bytes) return -EINVAL;
  const auto given = t.pointer<const signal_set>(1);
  const auto old = t.pointer<signal_set>(2);
  const signal_set before = programs_mask(t);
  if (!given.is_null()) {
    signal_set set = 0;
    if (given.get(set) != 0) return -EFAULT;
    switch (static_cast<int>(t.arg(0))) {
      case SIG_BLOCK: set_programs_mask(t, before | set); break;
      case SIG_UNBLOCK: set_programs_mask(t, before & ~set); break;
      case SIG_SETMASK: set_programs_mask(t, set); break;
      default: return -EINVAL;
    }
  }
  return old.is_null() ? 0 : old.put(before);
}

/// rt_sigpending(set, bytes). Here all signals are blocked; natively the result has only those that the program blocks.
long trap_rt_sigpending(trap& t) {
  const long result = t.carry_out();
  if (is_error(result)) return result;
  const auto told = t.pointer<signal_set>(0);
  const signal_set held = blocks_sigsys(*t.self) != 0 && has_held_sigsys(*t.self) ? sigsys_set : 0;
  signal_set set = 0;
  if (t.arg(1) != signal_set_bytes) return result;
  if (told.get(set) != 0) return -EFAULT;
  return told.put((set & t.mask()) | held) == 0 ? result : -EFAULT;
}

namespace {

/// The alternate stack that the program must see. While a handler runs on a stack with SS_AUTODISARM, the kernel says
/// that there is none. The trap's own stack is not counted. The kernel returns no old bytes between the members, unlike
/// the frame.
void find_alternate_stack(const trap& t, stack_t& now) noexcept {
  constexpr int autodisarm = static_cast<int>(1u << 31);
  const stack_t& framed = t.context->uc_stack;
  std::memset(&now, 0, sizeof now);
  now.ss_sp = framed.ss_sp, now.ss_flags = framed.ss_flags, now.ss_size = framed.ss_size;
  const auto begin = reinterpret_cast<std::uint64_t>(now.ss_sp);
  const auto pointer = static_cast<std::uint64_t>(t.reg(arch::stack));
  const int mode = now.ss_flags & autodisarm;
  if (now.ss_size == 0) now.ss_flags = SS_DISABLE;
  else now.ss_flags = mode | (mode == 0 && pointer > begin && pointer - begin <= now.ss_size ? SS_ONSTACK : 0);
}

}  // namespace

/// The kernel sets the stack again from the frame when the trap returns, so the frame must agree.
long trap_sigaltstack(trap& t) {
  const auto given = t.pointer<const stack_t>(0);
  const auto old = t.pointer<stack_t>(1);
  stack_t before;
  find_alternate_stack(t, before);
  if (!given.is_null()) {
    stack_t wanted{};
    if (given.get(wanted) != 0) return -EFAULT;
    const long result = raw_call(SYS_sigaltstack, as_word(&wanted), 0);
    if (is_error(result)) return result;
    t.context->uc_stack = wanted;
    if ((wanted.ss_flags & SS_DISABLE) != 0) t.context->uc_stack.ss_size = 0;
  }
  return old.is_null() ? 0 : old.put(before);
}

void note_dispositions() noexcept {
  for (int signal = 1; signal <= signal_count; ++signal) {
    kernel_sigaction now{};
    saved().dispositions[signal] = disposition::unknown;        // mana's signal: the program's setting is recorded
    if (is_ours(signal) || is_error(set_action(signal, nullptr, &now))) continue;
    saved().dispositions[signal] = now.handler == stub().signal_trampoline                  ? disposition::program
                                   : now.handler == reinterpret_cast<std::uint64_t>(SIG_DFL) ? disposition::standard
                                   : now.handler == reinterpret_cast<std::uint64_t>(SIG_IGN) ? disposition::ignored
                                                                                             : disposition::lower_half;
  }
}

/// A handler that runs once may still be recorded after its run: the kernel's state counts. For signals that the
/// program left to the MPI library, the new library's action is right.
void reinstall_dispositions() noexcept {
  adopt_lower_handlers();
  for (int signal = 1; signal <= signal_count; ++signal) {
    kernel_sigaction action = recorded(signal);
    switch (saved().dispositions[signal]) {
      case disposition::standard: action.handler = reinterpret_cast<std::uint64_t>(SIG_DFL); break;
      case disposition::ignored: action.handler = reinterpret_cast<std::uint64_t>(SIG_IGN); break;
      case disposition::lower_half: continue;
      case disposition::unknown:
        if (action.handler == 0) continue;
        break;
      case disposition::program: break;
    }
    if (is_ours(signal)) continue;
    const kernel_sigaction to_install = as_installed(action);
    set_action(signal, &to_install, nullptr);
  }
}

}  // namespace mana::split
