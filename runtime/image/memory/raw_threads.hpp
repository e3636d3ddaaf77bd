// Threads that libc does not know, and their way to wait. In a forked process libc makes no threads. The program's libc
// must not meet these threads either.
#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace mana::image {

/// Returns when the word differs from `seen`, or spuriously. Leaves errno alone, which threads without a libc share.
void await_change(const std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept;
void wake(std::atomic<std::uint32_t>& word, int most) noexcept;

/// Each thread runs on a stack of its own above a guard page, with all signals blocked, at its maker's priority. Its
/// body takes none of libc's locks, does not allocate, and leaves errno alone: it shares the thread-local variables of
/// the thread that started it. Only the constructor throws.
class raw_threads {
 public:
  using body = void (*)(void* with, unsigned number);        // number: from 0

  /// errors: std::bad_alloc
  explicit raw_threads(unsigned most);
  ~raw_threads();
  raw_threads(const raw_threads&) = delete;
  raw_threads& operator=(const raw_threads&) = delete;

  /// Starts the threads in this process, which may be a copy of the one that constructed this. None may be running.
  /// out: number of threads; fewer than the most if the system gives no more
  unsigned start(body what, void* with) noexcept;
  /// Waits until all have ended.
  void join() noexcept;
  unsigned running() const noexcept { return running_; }

  static constexpr std::size_t stack_bytes = 256u << 10;      // LZ4 keeps its table there
  std::size_t memory_bytes() const noexcept { return most_ * stack_bytes; }

 private:
  struct birth {
    body what;
    void* with;
    unsigned number;
    std::atomic<std::uint32_t> id;       // of the thread; the kernel clears it when the thread has ended
  };
  static constexpr std::size_t guard_bytes = 4096;

  static int live(void* born) noexcept;

  unsigned most_, running_ = 0;
  char* memory_ = nullptr;               // for each thread: guard, stack
  birth* births_ = nullptr;              // above the stacks
  std::size_t bytes_ = 0;
};

}  // namespace mana::image
