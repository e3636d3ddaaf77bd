// Threads of the kernel's alone, and what they wait by: for work in a process that was forked off, where libc makes
// none, and beside a program that must not meet them.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mana::image {

/// Returns when the word is not `seen`, or for nothing.     out: nothing in errno, which threads without a libc share
void await_change(const std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept;
void wake(std::atomic<std::uint32_t>& word, int most) noexcept;

/// Each runs on a stack of its own with a guard page below, with all signals blocked, at its maker's priority. They are
/// not of libc's: what they run takes no lock of it, allocates nothing, and leaves errno alone, since thread-local
/// variables are those of the thread that started them. Only the constructor throws.
class raw_threads {
 public:
  using body = void (*)(void* with, unsigned number);        // number: from 0

  /// errors: std::bad_alloc
  explicit raw_threads(unsigned most);
  ~raw_threads();
  raw_threads(const raw_threads&) = delete;
  raw_threads& operator=(const raw_threads&) = delete;

  /// Of this process, which may be a copy of the one that constructed this. None is running.
  /// out: how many there are: fewer than the most if the system gives no more
  unsigned start(body what, void* with) noexcept;
  /// Waits for the end of all.
  void join() noexcept;
  unsigned running() const noexcept { return running_; }

  static constexpr std::size_t stack_bytes = 256u << 10;      // LZ4 keeps its table there
  std::size_t memory_bytes() const noexcept { return most_ * stack_bytes; }

 private:
  struct birth {
    body what;
    void* with;
    unsigned number;
    std::atomic<std::uint32_t> id;       // of the thread; the kernel clears it when the thread is gone
  };
  static constexpr std::size_t guard_bytes = 4096;

  static int live(void* born) noexcept;

  unsigned most_, running_ = 0;
  char* memory_ = nullptr;               // of each: guard, stack
  birth* births_ = nullptr;              // above the stacks
  std::size_t bytes_ = 0;
};

}  // namespace mana::image
