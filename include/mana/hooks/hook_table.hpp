// The table behind mana_hook_add of api.h: functions of the program and its tools that are called around checkpoints.
#pragma once
#include <mana/api.h>
#include <mana/lower/abi.hpp>
#include <mana/lower/signals.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>

namespace mana::hooks {

class hook_table {
 public:
  static constexpr int most = 64;

  /// out: number of the hook; -1: the table is full, or an argument is wrong
  int add(mana_event event, mana_hook_function function, void* extra) noexcept {
    if (function == nullptr || event < MANA_REQUESTED || event > MANA_RESTARTED) return -1;
    const std::lock_guard hold(changes_);
    for (int i = 0; i < most; ++i) {
      if (all_[i].function.load(std::memory_order_relaxed) != nullptr) continue;
      all_[i].event = event;
      all_[i].extra = extra;
      all_[i].serial = ++serial_;
      all_[i].function.store(function, std::memory_order_release);      // last: a checkpoint may come at any moment
      return i;
    }
    return -1;
  }
  bool remove(int number) noexcept {
    if (number < 0 || number >= most) return false;
    const std::lock_guard hold(changes_);
    return all_[number].function.exchange(nullptr) != nullptr;
  }
  /// Calls the event's hooks in the order in which they were added. Takes no lock and allocates nothing.
  void run(mana_event event, const mana_hook_info& info) noexcept {
    std::uint64_t last = 0;
    while (hook* const next = after(event, last)) {
      last = next->serial;
      if (const mana_hook_function f = next->function.load(std::memory_order_acquire)) f(event, &info, next->extra);
    }
  }

 private:
  struct hook {
    std::atomic<mana_hook_function> function{nullptr};
    mana_event event = MANA_REQUESTED;
    void* extra = nullptr;
    std::uint64_t serial = 0;
  };
  hook* after(mana_event event, std::uint64_t last) noexcept {
    hook* next = nullptr;
    for (hook& h : all_)
      if (h.function.load(std::memory_order_acquire) != nullptr && h.event == event && h.serial > last &&
          (next == nullptr || h.serial < next->serial))
        next = &h;
    return next;
  }

  std::mutex changes_;
  std::uint64_t serial_ = 0;
  hook all_[most];
};

inline constinit hook_table the_hooks;

/// Number of the request whose hooks ran last; 0: no request in this process yet.
inline constinit std::uint64_t announced = 0;

inline void run(mana_event event, bool durable = false) noexcept {
  const lower::bridge& b = lower::the_bridge();
  the_hooks.run(event, {static_cast<int>(b.world_rank), static_cast<int>(b.world_size), b.restarts, durable ? 1 : 0});
}

/// Calls the hooks of MANA_REQUESTED, once for each request, on the thread that called MPI_Init.
inline void announce_request() noexcept {
  const std::uint64_t* const word = &lower::the_bridge().request_number;
  const std::uint64_t number = __atomic_load_n(word, __ATOMIC_RELAXED);
  if (number == announced) return;
  announced = number;
  run(MANA_REQUESTED);
}

}  // namespace mana::hooks
