// The only wait in the lower half: it polls for completion, and looks at the checkpoint flag in each round.
#pragma once
#include <runtime/lower/own_state.hpp>

#include <mana/lower/abi.hpp>

#include <sched.h>

namespace mana::real_mpi {

inline bool attention() noexcept {
  return (lower::the_bridge().attention.load(std::memory_order_relaxed) & lower::checkpoint_pending) != 0;
}

/// Calls once() until it returns true, or until a checkpoint is pending. Calls it at least once, so that a caller that
/// returns again and again while a checkpoint is pending still makes progress.
/// out:  true: once() returned true; false: it did not, and attention is set
/// cost: one call and one relaxed load per round; a sched_yield() after own().polls_before_yield rounds without
///       success. On an oversubscribed node the partner may need this very core.
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
