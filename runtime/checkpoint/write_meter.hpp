// How far a rank's image is, for whoever asks while it is written or copied.
#pragma once
#include <atomic>
#include <cstdint>

namespace mana::image {

/// In bytes: of memory that was written, left out or found as it was before; or of a file that was copied. Written by one thread or process at a time.
class write_meter {
 public:
  void begin(std::uint64_t bytes) noexcept {
    done_.store(0, std::memory_order_relaxed);
    bytes_.store(bytes, std::memory_order_relaxed);
  }
  void add(std::uint64_t bytes) noexcept { done_.fetch_add(bytes, std::memory_order_relaxed); }

  std::uint64_t bytes() const noexcept { return bytes_.load(std::memory_order_relaxed); }
  std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }

 private:
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
  std::atomic<std::uint64_t> bytes_{0}, done_{0};
};

}  // namespace mana::image
