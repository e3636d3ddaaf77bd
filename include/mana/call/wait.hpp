// The wait of a call that other ranks must end: for messages, for requests. While a checkpoint is pending the wrapper
// tells the clock for whom this rank waits. The thread parks when the recovery line is declared.
#pragma once
#include <mana/call/scope.hpp>

namespace mana::call {

enum class poll_end {
  done,       // the call returns
  again,      // something has changed: poll again
  waits,      // for others
};

/// Tells the clock that this rank's wait is over.
inline void announce_end() noexcept {
  const lower::services& s = *lower::the_bridge().service;
  lower::cross([&] { s.clock_wait_end(); });
}

/// Returns when poll says `done`. May park between two polls, which changes real handles.
/// in: poll      () → poll_end
///     announce  () → lower::wait_end: tells the clock for whom it waits; attention: the thread must park
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

/// A call that looks once and returns, whether or not it found something.      out: whether it found something
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
