// Signals that tell the program to end (lower::end_signals) while its threads are held, so that it cannot hear of them.
#pragma once
#include <cstdint>

namespace mana::process_state {

/// INV-66: While a checkpoint holds the program, a signal that tells it to end, and that it handles in any way, ends the
/// checkpoint: handlers wait only until the threads are let go. That signals wait is seen without taking them; which thread gets
/// one, and when, stays with the kernel.
/// For threads of the runtime, which block all signals, or what the program handles. One at a time.
class end_watch {
 public:
  /// errors: std::system_error
  end_watch();

  /// Readable while a signal waits that is watched for.
  int fd() const noexcept { return fd_; }
  /// From now on. What waits already the program itself keeps waiting.
  void begin() noexcept;
  void end() noexcept { watch(0); }
  /// After fd() was readable.     out: number of the signal; 0: none that matters
  int told() noexcept;

 private:
  void watch(std::uint64_t signals) noexcept;

  int fd_;
  std::uint64_t watched_ = 0;
};

}  // namespace mana::process_state
