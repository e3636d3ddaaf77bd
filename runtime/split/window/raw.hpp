// Raw system calls and thread registers: usable under either thread pointer, in children, on any stack.
#pragma once
#include <mana/arch/arch.hpp>
#include <mana/lower/abi.hpp>

#include <linux/futex.h>
#include <sys/syscall.h>

namespace mana::split {

using arch::raw_call;

template <class T>
[[gnu::always_inline]] inline long as_word(T* pointer) noexcept { return reinterpret_cast<long>(pointer); }

inline bool is_error(long result) noexcept { return result < 0 && result >= -4095; }

inline std::uint64_t read_thread_pointer() noexcept {
  return arch::read_thread_pointer(lower::the_bridge().has_fsgsbase != 0);
}
inline void write_thread_pointer(std::uint64_t value) noexcept {
  arch::write_thread_pointer(value, lower::the_bridge().has_fsgsbase != 0);
}

/// Makes `block`, which may be null, the result of lower::this_thread().
inline void set_thread_block(lower::thread_block* block) noexcept {
  arch::write_block_register(reinterpret_cast<std::uintptr_t>(block));
}

inline constexpr long number_of_faccessat2 = 439;
inline constexpr long number_of_mseal = 462;      // Linux 6.10, newer than this libc

using signal_set = std::uint64_t;   // the kernel's sigset: bit n-1 for signal n
inline constexpr long signal_set_bytes = sizeof(signal_set);
inline constexpr signal_set every_signal = ~signal_set{0};
constexpr signal_set one_signal(int number) noexcept { return signal_set{1} << (number - 1); }

inline void set_signal_mask(signal_set mask) noexcept {
  raw_call(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, as_word(&mask), 0, signal_set_bytes);
}

/// Blocks all 64 signals of the calling thread while the object lives. Threads that the thread creates inherit the
/// mask. libc's functions never block two signals that libc uses itself (32: timers and cancellation, 33: credentials
/// of all threads).
class all_signals_blocked {
 public:
  all_signals_blocked() noexcept {
    raw_call(SYS_rt_sigprocmask, 2 /* SIG_SETMASK */, as_word(&every_signal), as_word(&before_), signal_set_bytes);
  }
  ~all_signals_blocked() { set_signal_mask(before_); }
  all_signals_blocked(const all_signals_blocked&) = delete;
  all_signals_blocked& operator=(const all_signals_blocked&) = delete;

 private:
  signal_set before_ = 0;
};

/// Mutual exclusion among the traps. Every holder has all signals blocked, so no thread is interrupted, parked or saved
/// while it holds the lock.
class raw_lock {
 public:
  void lock() noexcept {
    std::uint32_t seen = 0;
    if (word_.compare_exchange_strong(seen, 1, std::memory_order_acquire)) return;
    while (word_.exchange(2, std::memory_order_acquire) != 0)
      raw_call(SYS_futex, as_word(&word_), FUTEX_WAIT_PRIVATE, 2);
  }
  void unlock() noexcept {
    if (word_.exchange(0, std::memory_order_release) == 2) raw_call(SYS_futex, as_word(&word_), FUTEX_WAKE_PRIVATE, 1);
  }

 private:
  std::atomic<std::uint32_t> word_{0};   // 0 free, 1 held, 2 held and waited for
};

}  // namespace mana::split
