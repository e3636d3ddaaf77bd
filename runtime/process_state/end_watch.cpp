#include <runtime/process_state/end_watch.hpp>

#include <runtime/split/traps/signals/signals.hpp>
#include <runtime/split/window/raw.hpp>

#include <sys/signalfd.h>

#include <bit>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

namespace mana::process_state {

namespace {

sigset_t as_set(std::uint64_t signals) noexcept {
  sigset_t set;
  sigemptyset(&set);
  std::memcpy(&set, &signals, sizeof signals);
  return set;
}

/// Of the process, and of the calling thread, to which nobody sends signals.
std::uint64_t waiting() noexcept {
  std::uint64_t set = 0;
  split::raw_call(SYS_rt_sigpending, split::as_word(&set), split::signal_set_bytes);
  return set;
}

/// A blocked signal is pending even if the program ignores it.
bool is_ignored(int signal) noexcept {
  split::kernel_sigaction now{};
  split::set_action(signal, nullptr, &now);
  return now.handler == reinterpret_cast<std::uint64_t>(SIG_IGN);
}

}  // namespace

end_watch::end_watch() {
  const sigset_t none = as_set(0);
  fd_ = signalfd(-1, &none, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0) throw std::system_error(errno, std::generic_category(), "a descriptor for signals that end the program");
}

void end_watch::begin() noexcept { watch(split::without_ours(lower::end_signals) & ~waiting()); }

int end_watch::told() noexcept {
  for (std::uint64_t set = waiting() & watched_; set != 0; set &= set - 1) {
    const int signal = std::countr_zero(set) + 1;
    if (!is_ignored(signal)) return signal;
    watch(watched_ & ~split::one_signal(signal));
  }
  return 0;
}

void end_watch::watch(std::uint64_t signals) noexcept {
  if (signals == watched_) return;
  const sigset_t set = as_set(signals);
  signalfd(fd_, &set, 0);
  watched_ = signals;
}

}  // namespace mana::process_state
