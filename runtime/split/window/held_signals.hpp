// Signals with the number of SIGSYS that the program sends and blocks. The kernel never blocks SIGSYS where the program
// runs (INV-14). Therefore the program's own blocking of SIGSYS is recorded here, and its signals wait here meanwhile
// (INV-71). This state is in the window, and so in an image. Freestanding: the stub uses it as well as the traps.
#pragma once
#include <runtime/split/window/raw.hpp>
#include <runtime/split/window/saved_state.hpp>

#include <mana/lower/signals.hpp>

#include <csignal>

namespace mana::split {

/// Whether the program blocks SIGSYS on this thread: 1 or 0. Only the thread itself uses it.
inline std::uint32_t& blocks_sigsys(lower::thread_block& thread) noexcept {
  return thread.blocks_sigsys;
}

inline constexpr signal_set sigsys_set = one_signal(SIGSYS);

namespace held {

inline constexpr std::uint32_t for_process = ~std::uint32_t{0};

/// A holder must have all signals blocked.
class table_lock {
 public:
  table_lock() noexcept { while (word().exchange(1, std::memory_order_acquire) != 0) raw_call(SYS_sched_yield); }
  ~table_lock() { word().store(0, std::memory_order_release); }
  table_lock(const table_lock&) = delete;
  table_lock& operator=(const table_lock&) = delete;

 private:
  static std::atomic<std::uint32_t>& word() noexcept { return saved().held.lock; }
};

/// A thread that takes a signal of kill() to the process, if one does not block it.
inline lower::thread_block* taker() noexcept {
  for (std::uint32_t i = 0; i < lower::max_threads; ++i) {
    lower::thread_block& thread = lower::thread_blocks()[i];
    if (thread.state.load() == lower::thread_state::running && blocks_sigsys(thread) == 0) return &thread;
  }
  return nullptr;
}

inline void send(long tid, const siginfo_t& info) noexcept {
  const long process = raw_call(SYS_getpid);
  const long result = raw_call(SYS_rt_tgsigqueueinfo, process, tid, SIGSYS, as_word(&info));
  if (is_error(result)) raw_call(SYS_tgkill, process, tid, SIGSYS);     // others may not send in a third's name
}

}  // namespace held

/// SIGSYS has come to a thread that blocks it. As with any signal below SIGRTMIN, one waits for each thread, and one
/// for the process. All signals must be blocked.
inline void hold_sigsys(lower::thread_block& self, const siginfo_t& info) noexcept {
  const bool to_process = info.si_code != SI_TKILL;                     // with SI_QUEUE nobody knows
  lower::thread_block* const other = info.si_code == SI_USER ? held::taker() : nullptr;
  if (other != nullptr) return held::send(other->tid, info);
  const held::table_lock hold;
  held_signals& table = saved().held;
  const std::uint32_t whose = to_process ? held::for_process : self.index;
  for (std::uint32_t i = 0; i < table.count; ++i)
    if (table.of[i].thread == whose) return;
  if (table.count == std::size(table.of)) return;
  table.of[table.count] = {whose, {}};
  __builtin_memcpy(table.of[table.count++].info, &info, sizeof info);
}

/// All signals must be blocked.      out: false if none waits for the thread or the process
inline bool take_held_sigsys(const lower::thread_block& self, siginfo_t& info) noexcept {
  held_signals& table = saved().held;
  if (table.count == 0) return false;
  const held::table_lock hold;
  for (std::uint32_t i = 0; i < table.count; ++i) {
    if (table.of[i].thread != self.index && table.of[i].thread != held::for_process) continue;
    __builtin_memcpy(&info, table.of[i].info, sizeof info);
    table.of[i] = table.of[--table.count];
    return true;
  }
  return false;
}

inline bool has_held_sigsys(const lower::thread_block& self) noexcept {
  const held_signals& table = saved().held;
  for (std::uint32_t i = 0; i < table.count; ++i)
    if (table.of[i].thread == self.index || table.of[i].thread == held::for_process) return true;
  return false;
}

/// The thread no longer blocks SIGSYS: delivers waiting signals. All signals must be blocked.
/// out: whether there were any
inline bool release_held_sigsys(lower::thread_block& self) noexcept {
  siginfo_t info;
  bool any = false;
  for (; take_held_sigsys(self, info); any = true) held::send(self.tid, info);
  return any;
}

}  // namespace mana::split
