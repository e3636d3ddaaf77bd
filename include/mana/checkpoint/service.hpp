// The park point of the upper half's threads, and the checkpoint on the thread that runs checkpoints. This file has the
// parts that do not depend on whether the program has an MPI.
#pragma once
#include <mana/call/own_stack.hpp>
#include <mana/hooks/hook_table.hpp>
#include <mana/lower/context.hpp>
#include <mana/lower/cross.hpp>
#include <mana/lower/parked.hpp>

#include <linux/futex.h>

#include <atomic>
#include <cstdint>

namespace mana::checkpoint {

inline void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t seen) noexcept {
  arch::raw_call(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAIT, static_cast<long>(seen));
}
template <class Word>
void futex_wake_all(std::atomic<Word>& word) noexcept {
  static_assert(sizeof word == sizeof(std::uint32_t));
  arch::raw_call(SYS_futex, reinterpret_cast<long>(&word), FUTEX_WAKE, 0x7fffffff);
}

/// Calls a listener of the lower half, if there is one, before a thread parks or continues.
inline void tell_lower_half(lower::thread_listener told, lower::thread_block& self) noexcept {
  if (told != nullptr) lower::cross([&] { told(&self); });
}

/// Waits in the park point until all threads are let go. If it is asked, the thread looks at its pending signals
/// (INV-69). It does so below the saved stack pointer, so the image does not change.
inline void await_release(lower::thread_block& self, std::uint32_t epoch) noexcept {
  lower::bridge& b = lower::the_bridge();
  for (;;) {
    const std::uint32_t turns = lower::turns_of_parked(b).load(std::memory_order_seq_cst);
    if (b.release_epoch.load(std::memory_order_acquire) != epoch) return;
    if (lower::look_order_of(self).load(std::memory_order_acquire) != lower::look_order::look) {
      futex_wait(lower::turns_of_parked(b), turns);
      continue;
    }
    tell_lower_half(b.thread_looks, self);
    lower::look_order_of(self).store(lower::look_order::none, std::memory_order_release);
    futex_wake_all(lower::look_order_of(self));
  }
}

/// True from the declaration of the recovery line until the checkpoint is over.
inline bool park_asked() noexcept {
  return lower::the_bridge().current.load(std::memory_order_acquire) == lower::phase::parking;
}

/// Parks a thread other than the one that called MPI_Init. It returns when the checkpoint is over: in this process, or
/// in a new process that continues here.
inline void park_once(lower::thread_block& self) noexcept {
  lower::bridge& b = lower::the_bridge();
  const std::uint32_t epoch = b.release_epoch.load(std::memory_order_seq_cst);
  // release() changes the phase first, then the epoch: a thread that comes too late sees at least one of the changes.
  if (b.current.load(std::memory_order_seq_cst) != lower::phase::parking) return;
  const std::uint64_t mask = call::hold_signals();
  call::note_kernel_state(self);
  tell_lower_half(b.thread_parks, self);
  if (mana_save_context(&self.saved) == 0) {
    self.parked_epoch = epoch;
    lower::look_order_of(self).store(lower::look_order::none, std::memory_order_relaxed);
    self.state.store(lower::thread_state::parked, std::memory_order_release);
    b.parked_count.fetch_add(1, std::memory_order_acq_rel);
    futex_wake_all(b.parked_count);
  }
  await_release(self, epoch);
  self.state.store(lower::thread_state::running, std::memory_order_seq_cst);
  call::detail::set_mask(mask);
}

/// True for the thread that called MPI_Init, or for its replacement if it has ended (split::pass_on_checkpoints).
inline bool runs_checkpoints(const lower::thread_block& self) noexcept {
  return self.index == __atomic_load_n(&lower::the_bridge().main_thread, __ATOMIC_SEQ_CST);
}

/// The next checkpoint may begin before a thread that was let go has run again. Since its state was still "parked", it
/// was not signalled. So the thread checks the phase itself, and until then it does not count as parked
/// (thread_block::parked_epoch).
inline void park_thread(lower::thread_block& self) noexcept {
  do park_once(self);
  while (lower::the_bridge().current.load(std::memory_order_seq_cst) == lower::phase::parking && !runs_checkpoints(self));
}

inline void end_checkpoint(lower::outcome how) noexcept {
  lower::cross([&] { lower::the_bridge().service->release(how); });
  hooks::run(how == lower::outcome::restarted ? MANA_RESTARTED : MANA_RESUMED, how == lower::outcome::resumed);
}

/// Runs the checkpoint from the recovery line to its end, on the checkpoint's own stack. The service write_image()
/// returns once in this process, and once in every process that is restarted from the image.
/// in:     Mpi  the checkpoint of the program's MPI objects:
///           bool drain()         nothing is in flight afterwards; false: the checkpoint is given up
///           void before_image()  the last step before memory is saved
///           void restarted()     in the new process, before the program continues
template <class Mpi>
void run_checkpoint(lower::thread_block& self) noexcept {
  lower::bridge& b = lower::the_bridge();
  lower::outcome how = lower::outcome::given_up;
  hooks::announce_request();
  if (lower::cross([&] { return b.service->park_others(); }) != 0) {
    hooks::run(MANA_LINE_FOUND);
    b.current.store(lower::phase::draining, std::memory_order_release);
    Mpi mpi;
    if (!mpi.drain()) return end_checkpoint(lower::outcome::given_up);
    lower::cross([&] { b.service->fault_point("drained"); });
    hooks::run(MANA_BEFORE_WRITE);
    mpi.before_image();
    b.current.store(lower::phase::writing, std::memory_order_release);
    call::note_kernel_state(self);
    if (mana_save_context(&self.saved) == 0) {
      how = lower::cross([&] { return b.service->write_image(); });
      hooks::run(MANA_AFTER_WRITE, how == lower::outcome::resumed);
    } else {
      how = lower::outcome::restarted;
      hooks::announced = 0;
      mpi.restarted();
    }
  }
  end_checkpoint(how);
}

template <class Mpi>
void park_now() noexcept {
  lower::thread_block& self = *lower::this_thread();
  if (!runs_checkpoints(self)) {
    park_thread(self);
    if (!runs_checkpoints(self) || !park_asked()) return;
  }
  do {
    ++self.inside;                 // INV-28 a park signal finds nothing to do from here until the thread is back
    std::atomic_signal_fence(std::memory_order_seq_cst);
    call::on_own_stack(run_checkpoint<Mpi>, self);
    std::atomic_signal_fence(std::memory_order_seq_cst);
    --self.inside;
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } while (park_asked());    // a signal that came meanwhile belongs to the next checkpoint, and does not come again
}

/// Handler of the park signal.
template <class Mpi>
void on_park_signal(int, void*, void* context) noexcept {
  lower::thread_block* const self = lower::this_thread();
  if (self == nullptr || self->inside > 0 || !park_asked()) return;
  self->interrupted = context;
  const std::uint64_t held = call::let_unhandled_through(context);
  park_now<Mpi>();
  call::detail::set_mask(held);
  self->interrupted = nullptr;
}

}  // namespace mana::checkpoint
