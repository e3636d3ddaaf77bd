// A run that takes hours: it says how far it is, and what it has found when it is stopped.
#pragma once
#include "options.hpp"

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>

namespace clock_model {

/// SIGINT or SIGTERM, once it has come; 0: go on.
inline volatile std::sig_atomic_t stop_signal = 0;

/// From here on these signals stop the run where it looks, and interrupt a wait. More of them change nothing:
/// timeout(1) sends its signal twice.
inline void stop_on_signals() {
  struct sigaction action {};
  action.sa_handler = [](int signal) { stop_signal = signal; };
  for (const int signal : {SIGINT, SIGTERM}) sigaction(signal, &action, nullptr);
}

/// As a shell has it for a process that a signal ended.
inline int exit_when_stopped() { return 128 + stop_signal; }

/// The lines on stderr: a sweep_watcher.
class progress {
 public:
  explicit progress(const options& o)
      : is_shown_(o.progress || isatty(STDERR_FILENO) != 0), every_(o.progress.value_or(30)), next_(begin_ + every_) {}

  bool operator()(std::uint64_t programs, std::uint64_t states) {
    if (is_shown_ && clock::now() >= next_) {
      std::fprintf(stderr, "%.0f s: %lu programs, %lu states\n",
                   std::chrono::duration<double>(clock::now() - begin_).count(), programs, states);
      next_ = clock::now() + every_;
    }
    return stop_signal == 0;
  }

 private:
  using clock = std::chrono::steady_clock;
  bool is_shown_;
  std::chrono::seconds every_;
  clock::time_point begin_ = clock::now(), next_;
};

}  // namespace clock_model
