// Signals that tell the program to end (lower::end_signals) while its threads are held and cannot receive them.
#pragma once
#include <cstdint>

namespace mana::process_state {

/// INV-66: If a signal tells the program to end, and the program handles it in any way, the checkpoint that holds the
/// program ends. So a handler waits only until the threads are released. The watch sees pending signals without taking
/// them. The kernel still decides which thread gets a signal, and when.
/// For threads of the runtime, which block all signals, or those that the program handles. One at a time.
class end_watch {
 public:
  /// errors: std::system_error
  end_watch();

  /// Readable while a watched signal is pending.
  int fd() const noexcept { return fd_; }
  /// Watches from now on, except signals that are pending already: the program itself delays those.
  void begin() noexcept;
  void end() noexcept { watch(0); }
  /// Call when fd() was readable.     out: number of the signal; 0: none that matters
  int told() noexcept;

 private:
  void watch(std::uint64_t signals) noexcept;

  int fd_;
  std::uint64_t watched_ = 0;
};

}  // namespace mana::process_state
