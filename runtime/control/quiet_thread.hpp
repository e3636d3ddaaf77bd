// Threads of the runtime.
#pragma once
#include <signal.h>

#include <thread>
#include <utility>

namespace mana::control {

/// They take no signal of the program.
template <class Body>
std::thread start_quiet(Body&& body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  std::thread made(std::forward<Body>(body));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return made;
}

}  // namespace mana::control
