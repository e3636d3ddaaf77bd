// Counting collectives: the one thing that a blocking, a non-blocking and a constructing collective have in common.
#pragma once
#include <mana/wrap/library.hpp>
#include <mana/wrap/scope.hpp>

namespace mana::wrap {

/// Counts a collective on the clock's group and, while a checkpoint is pending, waits until it may start.
/// out: true if the thread parked meanwhile: every real handle and address of the lower half that the caller has read
///      before may be of a process that is gone
/// cost: one increment and one load when no checkpoint is pending
/// INV-7 every collective call on a group, on every member, passes here exactly once before it enters the lower half.
inline bool start_collective(wrapper_scope& scope, vid::group_clock& clock) noexcept {
  for (bool parked = false;; parked = true) {
    take_next(clock.seq, library().callers);
    std::atomic_signal_fence(std::memory_order_seq_cst);   // the other half of the fence is the requester's membarrier
    if (!attention()) [[likely]] return parked;
    const lower::services& s = *lower::the_bridge().service;
    if (lower::cross([&] { return s.clock_enter(&clock); }) == lower::wait_end::done) return parked;
    scope.park_here();
  }
}

/// A non-blocking collective that the live MPI refused to start was none: the members' counts agree again.
inline void uncount_collective(vid::group_clock& clock) noexcept { clock.seq.fetch_sub(1, std::memory_order_relaxed); }

}  // namespace mana::wrap
