// Counters that a thread advances on every message. A locked instruction would cost more than the rest of the count.
#pragma once
#include <mana/arch/arch.hpp>

#include <atomic>
#include <cstdint>

namespace mana {

/// How threads access a piece of state:
///   at_once     under MPI_THREAD_MULTIPLE.
///   one_by_one  under every other level, where the program itself orders its calls; and in a checkpoint, where all
///               threads except one are parked
enum class turns : bool { one_by_one, at_once };

/// Returns the counter's value, then adds one. Always inlined: among hundreds of wrappers the compiler would not inline
/// it, and a call costs more than the body.
template <class T>
[[gnu::always_inline]] inline T take_next(std::atomic<T>& counter, turns t) noexcept {
  if (t == turns::at_once) return counter.fetch_add(1, std::memory_order_relaxed);
  const T value = counter.load(std::memory_order_relaxed);
  counter.store(value + 1, std::memory_order_relaxed);
  return value;
}

/// Adds one; other threads may count at the same time if `t` is at_once.
template <class T>
[[gnu::always_inline]] inline void count_up(T& counter, turns t) noexcept {
  if (t == turns::at_once) __atomic_fetch_add(&counter, 1, __ATOMIC_RELAXED);
  else ++counter;
}

/// Subtracts one. out: the result is 0
template <class T>
[[gnu::always_inline]] inline bool count_down(T& counter, turns t) noexcept {
  if (t == turns::at_once) return __atomic_fetch_sub(&counter, 1, __ATOMIC_ACQ_REL) == 1;
  return --counter == 0;
}

/// One instruction (arch::increment). For a counter that one thread at a time advances while others only read it.
[[gnu::always_inline]] inline void advance(std::atomic<std::uint64_t>& counter) noexcept {
  static_assert(sizeof counter == sizeof(std::uint64_t) && std::atomic<std::uint64_t>::is_always_lock_free);
  arch::increment(counter);
}

}  // namespace mana
