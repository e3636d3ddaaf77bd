// Signals that the program handles are held back while a checkpoint looks at what is pending, and writes: a handler that ran
// meanwhile would be in the image by halves, and its signal not. They stay pending, which the image has.
#pragma once
#include <csignal>
#include <cstdint>

namespace mana::process_state {

/// Bit n-1: the program handles signal n, or libc may at any moment, and it is none of ours.
std::uint64_t handled_signals() noexcept;

/// Of the calling thread, in the lower half, as long as it lives. Threads that it creates hold them too.
class signal_hold {
 public:
  signal_hold() noexcept;
  ~signal_hold();
  signal_hold(const signal_hold&) = delete;
  signal_hold& operator=(const signal_hold&) = delete;

 private:
  std::uint64_t before_ = 0;
};

}  // namespace mana::process_state
