#include <runtime/process_state/signal_hold.hpp>

#include <runtime/split/traps/signals/signals.hpp>
#include <runtime/split/window/raw.hpp>

namespace mana::process_state {

std::uint64_t handled_signals() noexcept {
  std::uint64_t handled = lower::cancel_signal;
  for (int signal = 1; signal <= 64; ++signal)
    if (lower::the_bridge().signal_handlers[signal] > 1) handled |= split::one_signal(signal);
  return split::without_ours(handled);
}

signal_hold::signal_hold() noexcept {
  const std::uint64_t handled = handled_signals();
  split::raw_call(SYS_rt_sigprocmask, SIG_BLOCK, split::as_word(&handled), split::as_word(&before_),
                  split::signal_set_bytes);
}

signal_hold::~signal_hold() { split::set_signal_mask(before_); }

}  // namespace mana::process_state
