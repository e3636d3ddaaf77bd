// Waits until the launcher has read what a rank printed, before the rank ends the job.
#pragma once

#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <ctime>

namespace mana::words {

/// Longest wait for a reader that does not read, ms.
inline constexpr int last_words_ms = 500;

/// Returns when the pipes of this process's standard output and error are empty, or after last_words_ms. A launcher
/// that is told to end the job through another connection may look at that one first, and close the pipes unread.
/// MPICH's lost one message of eight on a busy machine, natively too. No event reports an empty pipe.
inline void await_last_words() noexcept {
  for (int waited_ms = 0; waited_ms < last_words_ms; ++waited_ms) {
    bool taken = true;
    for (const int fd : {STDOUT_FILENO, STDERR_FILENO}) {
      struct stat what;
      int left = 0;
      if (fstat(fd, &what) == 0 && S_ISFIFO(what.st_mode) && ioctl(fd, FIONREAD, &left) == 0 && left > 0) taken = false;
    }
    if (taken) return;
    const timespec pause{0, 1'000'000};
    nanosleep(&pause, nullptr);
  }
}

}  // namespace mana::words
