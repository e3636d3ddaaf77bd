// Signals that ask a process to end, while it has no program yet.
#pragma once
#include <csignal>
#include <utility>
#include <vector>

namespace mana::job {

/// While this object lives, the signals of lower::end_signals end a restart, whatever handlers an MPI library has set
/// (UCX takes SIGHUP). No other code changes these signals' actions meanwhile.
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
