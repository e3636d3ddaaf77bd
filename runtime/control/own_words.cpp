#include <runtime/control/own_words.hpp>
#include <runtime/files/own_table.hpp>

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <string>
#include <system_error>

namespace mana::control {

namespace {

/// Standard error of the initial thread, and so of the program. errors: -1: that thread has ended, or a container's
/// filter bars the call
int errors_of_process() noexcept {
  const int process = static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0));
  const int found = static_cast<int>(syscall(SYS_pidfd_getfd, process, STDERR_FILENO, 0));
  if (process >= 0) close(process);
  return found;
}

/// Opens standard error again through /proc, by a thread that still has the process's table. Threads with their own
/// table have /dev/null there. errors: -1: no such thread, or standard error is a socket
int errors_opened_anew() {
  std::error_code ignored;
  for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task", ignored)) {
    const std::filesystem::path shown = thread.path() / "fd" / std::to_string(STDERR_FILENO);
    if (std::filesystem::read_symlink(shown, ignored) == "/dev/null") continue;
    const int found = open(shown.c_str(), O_WRONLY | O_APPEND | O_NOCTTY | O_CLOEXEC);
    if (found >= 0) return found;
  }
  return -1;
}

}  // namespace

void say(const std::string& text) noexcept {
  const bool is_here = !files::has_own_table();
  int to = is_here ? STDERR_FILENO : errors_of_process();
  try {
    if (to < 0) to = errors_opened_anew();
  } catch (const std::exception&) {     // no memory for a path
  }
  if (to < 0) return;
  [[maybe_unused]] const ssize_t n = write(to, text.data(), text.size());
  if (!is_here) close(to);
}

}  // namespace mana::control
