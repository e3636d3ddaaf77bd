// Threads that write or copy while the program runs leave it the cores first.
#pragma once
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>

namespace mana::files {

/// The calling thread gets a smaller share of a core. Takes no lock, allocates nothing.
/// in: by  steps of nice(2), up to 19 in all
inline void step_back(int by) noexcept {
  constexpr int least = 19;
  errno = 0;
  const int now = getpriority(PRIO_PROCESS, 0);          // of this thread
  if (by > 0 && (now != -1 || errno == 0)) setpriority(PRIO_PROCESS, 0, std::min(now + by, least));
}

}  // namespace mana::files
