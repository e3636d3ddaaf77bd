// Counting collectives: the one thing that a blocking, a non-blocking and a constructing collective have in common.
#pragma once
#include <mana/wrap/library.hpp>
#include <mana/wrap/scope.hpp>

namespace mana::wrap {

/// at_once: it may start. parked: it may, and every real handle and address of the lower half that the caller has read
/// before may be of a process that is gone. refused: not counted, see refused_by_clock
enum class start_outcome { at_once, parked, refused };

inline constexpr const char* refused_by_clock =
    "the clock policy of this job (mana run --clock) has no non-blocking collectives, and none without a communicator";

/// What a collective's caller has to wait for; asked only where a clock's policy asks.
struct waiting {
  bool blocking = true;          // it may have to wait for others
  bool waits_for_all = false;    // it is sure to wait until all members have started
};

/// Counts a collective on the clock's group and, where the clock asks for it, waits until it may start.
/// comm: real handle of the clock's members, as it is at any time; nullptr: there is none yet. how: () → waiting
/// cost: one increment and one load when no checkpoint is pending
/// INV-7 every collective call on a group, on every member, passes here exactly once before it enters the lower half.
template <class How>
inline start_outcome start_collective(wrapper_scope& scope, vid::group_clock& clock, const std::uint64_t* comm,
                                      How&& how) noexcept {
  for (start_outcome now = start_outcome::at_once;; now = start_outcome::parked) {
    take_next(clock.seq, library().callers);
    std::atomic_signal_fence(std::memory_order_seq_cst);   // the other half of the fence is the requester's membarrier
    if (lower::the_bridge().attention.load(std::memory_order_relaxed) == 0) [[likely]] return now;
    const waiting w = how();
    const lower::collective_start start{&clock, comm == nullptr ? 0 : *comm, w.blocking, w.waits_for_all};
    const lower::services& s = *lower::the_bridge().service;
    switch (lower::cross([&] { return s.clock_enter(&start); })) {
      case lower::wait_end::done: return now;
      case lower::wait_end::refused: return start_outcome::refused;
      case lower::wait_end::attention: scope.park_here();
    }
  }
}

/// Of a constructor of communicators: blocking, and no one may rely on who waits for whom.
inline start_outcome start_constructor(wrapper_scope& scope, vid::group_clock& clock,
                                       const std::uint64_t* comm) noexcept {
  return start_collective(scope, clock, comm, [] { return waiting{}; });
}

/// A non-blocking collective that the live MPI refused to start was none: the members' counts agree again.
inline void uncount_collective(vid::group_clock& clock) noexcept { clock.seq.fetch_sub(1, std::memory_order_relaxed); }

}  // namespace mana::wrap
