#include <runtime/split/traps/signals/lower_handlers.hpp>

#include <runtime/split/window/bridge.hpp>
#include <runtime/split/window/window.hpp>

#include <sys/mman.h>

#include <cerrno>
#include <csignal>

extern "C" {
extern const char __start_mana_lower_handlers[];  // the linker's names for the ends of the section
extern const char __stop_mana_lower_handlers[];
}

namespace mana::split {
namespace {

constinit kernel_sigaction actions[signal_count + 1]{};  // of the lower half's libraries
constinit std::atomic<bool> has_begun{false};

/// In the section that unwinders skip.
#define IN_OWN_SECTION gnu::noinline, gnu::section("mana_lower_handlers")

/// Natively, a program whose own handler continues with the standard action ends by it.
[[IN_OWN_SECTION]] void take_standard_action(int signal) noexcept {
  const kernel_sigaction standard{0, 0, 0, 0};
  set_action(signal, &standard, nullptr);
  raw_call(SYS_tgkill, raw_call(SYS_getpid), raw_call(SYS_gettid), signal);
}

/// The stub calls it under the lower half's thread pointer. The lower half of a restart may lack this handler, though
/// the program has kept the address.
[[IN_OWN_SECTION]] void run_lower_handler(int signal, siginfo_t* info, void* context) noexcept {
  const std::uint64_t handler = lower_action(signal).handler;
  if (!is_function(handler)) return take_standard_action(signal);
  reinterpret_cast<void (*)(int, siginfo_t*, void*)>(handler)(signal, info, context);
  __asm__ volatile("" : : : "memory");  // no tail call: the frame must stay between the handler's and the stub's
}

bool is_in_stub(std::uint64_t handler) noexcept {
  return handler == stub().signal_trampoline || handler == stub().park_trampoline ||
         handler == stub().request_trampoline || is_lower_handler(handler);
}

}  // namespace

bool is_lower_handler(std::uint64_t handler) noexcept {
  return is_function(handler) && handler == stub().lower_handler;
}

kernel_sigaction lower_action(int signal) noexcept {
  kernel_sigaction action = actions[signal];
  action.handler = __atomic_load_n(&actions[signal].handler, __ATOMIC_ACQUIRE);
  return action;
}

kernel_sigaction lower_action_as_seen(int signal) noexcept {
  kernel_sigaction action = lower_action(signal);
  action.handler = stub().lower_handler;
  return action;
}

kernel_sigaction lower_action_installed(unsigned long flags, signal_set mask) noexcept {
  return {stub().lower_handler, flags | SA_SIGINFO | with_restorer, stub().restore_rt,
          mask | (our_signals() & ~one_signal(SIGSYS))};
}

void adopt_lower_handler(int signal) noexcept {
  if (!has_begun.load(std::memory_order_relaxed) || stub().lower_handler == 0) return;
  if (signal < 1 || signal > signal_count || (our_signals() & one_signal(signal)) != 0) return;
  kernel_sigaction found{};
  if (is_error(set_action(signal, nullptr, &found)) || !is_function(found.handler) || is_in_stub(found.handler)) return;
  actions[signal].flags = found.flags;
  actions[signal].mask = found.mask;
  __atomic_store_n(&actions[signal].handler, found.handler, __ATOMIC_RELEASE);
  const kernel_sigaction to_install = lower_action_installed(found.flags, found.mask);
  set_action(signal, &to_install, nullptr);
}

void adopt_lower_handlers() noexcept {
  has_begun.store(true, std::memory_order_relaxed);
  lower::the_bridge().lower_handler = [](int signal, void* info, void* context) {
    run_lower_handler(signal, static_cast<siginfo_t*>(info), context);
  };
  for (int signal = 1; signal <= signal_count; ++signal) adopt_lower_handler(signal);
}

void hide_lower_handlers() noexcept {
  lower::the_bridge().hidden_handlers = 1;
  const kernel_sigaction standard{0, 0, 0, 0};
  for (int signal = 1; signal <= signal_count; ++signal)
    if (is_function(actions[signal].handler)) set_action(signal, &standard, nullptr);
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  raw_call(SYS_sigaltstack, as_word(&none), 0);
}

/// Actions that the program has set meanwhile stay.
void show_lower_handlers() noexcept {
  std::uint64_t& hidden = lower::the_bridge().hidden_handlers;
  if (hidden == 0) return;
  hidden = 0;
  for (int signal = 1; signal <= signal_count; ++signal) {
    kernel_sigaction now{};
    const kernel_sigaction action = lower_action(signal);
    if (!is_function(action.handler) || is_error(set_action(signal, nullptr, &now)) || now.handler != 0) continue;
    const kernel_sigaction to_install = lower_action_installed(action.flags, action.mask);
    set_action(signal, &to_install, nullptr);
  }
}

void bring_alternate_stack() noexcept {
  signal_set before = 0;
  raw_call(SYS_rt_sigprocmask, SIG_BLOCK, as_word(&every_signal), as_word(&before), signal_set_bytes);
  stack_t stack{};
  raw_call(SYS_sigaltstack, 0, as_word(&stack));
  const auto begin = reinterpret_cast<std::uintptr_t>(stack.ss_sp);
  if (stack.ss_size != 0 && !belongs_to_upper({page_floor(begin), page_ceil(begin + stack.ss_size)})) {
    const std::uintptr_t at = mmap_window().choose(stack.ss_size);
    const long made = at == 0
                          ? -ENOMEM
                          : raw_call(SYS_mmap, static_cast<long>(at), static_cast<long>(stack.ss_size),
                                     PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    stack.ss_sp = reinterpret_cast<void*>(at);
    stack.ss_flags = is_error(made) ? SS_DISABLE : stack.ss_flags & ~SS_ONSTACK;
    raw_call(SYS_sigaltstack, as_word(&stack), 0);
  }
  set_signal_mask(before);
}

bool calls_lower_handlers(std::uintptr_t pc) noexcept {
  const auto at = reinterpret_cast<const char*>(pc);
  return at > __start_mana_lower_handlers && at <= __stop_mana_lower_handlers;
}

}  // namespace mana::split
