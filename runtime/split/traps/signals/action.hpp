// Actions of signals as the kernel keeps them: rt_sigaction(2) without libc.
#pragma once
#include <runtime/split/call/trap.hpp>

#include <mana/lower/signals.hpp>

namespace mana::split {

/// The form that rt_sigaction(2) takes on x86-64.
struct kernel_sigaction {
  std::uint64_t handler;
  unsigned long flags;
  std::uint64_t restorer;
  signal_set mask;
};

/// SA_RESTORER, which libc's headers lack: the action names the function that returns from the handler.
inline constexpr unsigned long with_restorer = 0x04000000;

/// Neither SIG_DFL nor SIG_IGN.
constexpr bool is_function(std::uint64_t handler) noexcept { return handler > 1; }

/// out: the system call's result
/// in: action, old  null: nothing is set; the old action is not asked for
inline long set_action(int signal, const kernel_sigaction* action, kernel_sigaction* old) noexcept {
  return raw_call(SYS_rt_sigaction, signal, as_word(action), as_word(old), signal_set_bytes);
}

}  // namespace mana::split
