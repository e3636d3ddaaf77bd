// Threads of the runtime.
#pragma once
#include <runtime/split/window/raw.hpp>

#include <thread>
#include <utility>

namespace mana::control {

/// Starts a thread that takes no signal of the program.
template <class Body>
std::thread start_quiet(Body&& body) {
  const split::all_signals_blocked hold;
  return std::thread(std::forward<Body>(body));
}

}  // namespace mana::control
