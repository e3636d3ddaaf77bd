// Progress of a rank's image while it is written or copied, and whether the image is still wanted.
#pragma once
#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>

namespace mana::files {

/// In bytes: of memory that was written, left out or found unchanged; or of a file that was copied. One thread or
/// process writes at a time.
class write_meter {
 public:
  void begin(std::uint64_t bytes) noexcept {
    done_.store(0, std::memory_order_relaxed);
    bytes_.store(bytes, std::memory_order_relaxed);
  }
  void add(std::uint64_t bytes) noexcept { done_.fetch_add(bytes, std::memory_order_relaxed); }

  std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }

  /// Gives the image up: the writer fails before its next part, even if it waits for its turn. Any thread, in the
  /// process or in a forked copy.
  void give_up() noexcept {
    given_up_.store(1, std::memory_order_release);
    syscall(SYS_futex, &given_up_, FUTEX_WAKE, 0x7fffffff, nullptr, nullptr, 0);
  }
  /// The next image is wanted.
  void want() noexcept { given_up_.store(0, std::memory_order_release); }
  bool is_given_up() const noexcept { return given_up_.load(std::memory_order_acquire) != 0; }
  /// Returns at this time of CLOCK_MONOTONIC, or when the image is given up.
  void wait_until(const timespec& time) const noexcept {
    const auto* const word = &given_up_;
    while (!is_given_up() && (syscall(SYS_futex, word, FUTEX_WAIT_BITSET, 0, &time, nullptr, FUTEX_BITSET_MATCH_ANY) == 0 ||
                              errno == EINTR)) {}
  }

 private:
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  std::atomic<std::uint64_t> bytes_{0}, done_{0};
  std::atomic<std::uint32_t> given_up_{0};      // a futex that processes share
};

}  // namespace mana::files
