// The one way to wait in the lower half: poll for completion, and look at the checkpoint flag in the same visit.
#pragma once
#include <runtime/lower/own_state.hpp>

#include <mana/lower/abi.hpp>

#include <sched.h>

namespace mana::real_mpi {

inline bool attention() noexcept {
  return (lower::the_bridge().attention.load(std::memory_order_relaxed) & lower::checkpoint_pending) != 0;
}

/// Calls once() until it returns true, or until a checkpoint is pending.
/// out:  true: once() said so; false: it did not, and attention is set. once() is called at least once either way, so
///       callers that come back again and again while a checkpoint is pending still make progress.
/// cost: one call and one relaxed load per round; a sched_yield() after own().polls_before_yield fruitless rounds, as
///       on an oversubscribed node the partner may need this very core.
template <class Once>
inline bool poll_until(Once once) {
  for (unsigned fruitless = 0;;) {
    if (once()) [[likely]] return true;
    if (attention()) return false;
    if (++fruitless >= own().polls_before_yield) {
      fruitless = 0;
      sched_yield();
    }
  }
}

}  // namespace mana::real_mpi
