// Blocks the signals that the program handles, while a checkpoint looks at pending signals and writes. A handler that
// ran meanwhile would be in the image half finished, and its signal would be missing. Blocked signals stay pending, and
// the image contains them.
#pragma once
#include <csignal>
#include <cstdint>

namespace mana::process_state {

/// Bit n-1: the program handles signal n, or libc may at any moment, and the signal is not mana's.
std::uint64_t handled_signals() noexcept;

/// Blocks them for the calling thread, in the lower half, as long as the object exists. Threads that it creates inherit
/// the block.
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
