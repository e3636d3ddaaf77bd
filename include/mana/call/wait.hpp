// The wait of a call that others have to end: on messages, on requests. While a checkpoint is pending the clock hears whom this
// rank waits for, and the thread parks where the recovery line is declared.
#pragma once
#include <mana/call/scope.hpp>

namespace mana::call {

enum class poll_end {
  done,       // the call returns
  again,      // something has changed: poll again
  waits,      // for others
};

/// Tells the clock that this rank waits for nobody any more.
inline void announce_end() noexcept {
  const lower::services& s = *lower::the_bridge().service;
  lower::cross([&] { s.clock_wait_end(); });
}

/// Returns when poll says `done`. May park between two polls: real handles are others afterwards.
/// in: poll      () → poll_end
///     announce  () → lower::wait_end: tells the clock for whom it is; attention: the thread has to park
template <class Poll, class Announce>
inline void wait(wrapper_scope& scope, Poll&& poll, Announce&& announce) noexcept {
  bool announced = false;
  for (poll_end end; (end = poll()) != poll_end::done;) {
    if (end == poll_end::again || !attention()) continue;
    announced = true;
    if (announce() == lower::wait_end::attention) scope.park_here();
  }
  if (announced && attention()) announce_end();
}

/// A call that looks once and returns, whatever it has found.      out: whether it found something
template <class Poll, class Announce>
inline bool look(Poll&& poll, Announce&& announce) noexcept {
  const bool found = poll();
  if (attention()) [[unlikely]] {
    if (found) announce_end();
    else announce();
  }
  return found;
}

}  // namespace mana::call
