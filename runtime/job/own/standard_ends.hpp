// Signals that tell a process to end, while it has no program yet.
#pragma once
#include <csignal>
#include <utility>
#include <vector>

namespace mana::job {

/// As long as it lives: what an MPI library does with lower::end_signals (UCX takes SIGHUP) does not count, and they end a
/// restart. Nobody else changes these signals' actions meanwhile.
class standard_ends {
 public:
  standard_ends();
  ~standard_ends();
  standard_ends(const standard_ends&) = delete;
  standard_ends& operator=(const standard_ends&) = delete;

 private:
  std::vector<std::pair<int, struct sigaction>> before_;
};

}  // namespace mana::job
