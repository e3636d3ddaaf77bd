#include "own_words.hpp"

#include <mana/core/own_table.hpp>

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace mana::control {

namespace {

/// errors: -1
int errors_of_process() noexcept {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  const int found = static_cast<int>(syscall(SYS_pidfd_getfd, process, STDERR_FILENO, 0));
  if (process >= 0) close(process);
  return found;
}

}  // namespace

void say(const std::string& text) noexcept {
  const bool is_here = !core::has_own_table();
  const int to = is_here ? STDERR_FILENO : errors_of_process();
  if (to < 0) return;
  [[maybe_unused]] const ssize_t n = write(to, text.data(), text.size());
  if (!is_here) close(to);
}

}  // namespace mana::control
