// Tables of descriptors that threads of a lower half have for themselves, beside a running program.
//
// INV-87 no descriptor that mana opens while the program runs has, for however short, a number that the program could get. To move it
// out of the way when it is there leaves a moment in which another thread opens a file, and gets another number than
// natively. So who opens files then does it in a table of its own.
#pragma once
#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace mana::core {

namespace own_table_detail {

constexpr unsigned unshare_first = 2;      // CLOSE_RANGE_UNSHARE

inline bool close_range_of(unsigned first, unsigned last, unsigned flags) noexcept {
  return first > last || ::syscall(SYS_close_range, first, last, flags) == 0;
}

/// As kernels before 5.9 let it be done.
inline void close_all_but(int kept) noexcept {
  DIR* const listed = ::opendir("/proc/thread-self/fd");
  if (listed == nullptr) return;
  std::vector<int> open;
  while (const dirent* entry = ::readdir(listed))
    if (const int fd = std::atoi(entry->d_name); entry->d_name[0] != '.' && fd != kept && fd != dirfd(listed)) open.push_back(fd);
  ::closedir(listed);
  for (const int fd : open) ::close(fd);
}

/// Who writes to standard error by number must not meet something else there. By system calls: nobody is to move it.
inline void fill_standard() noexcept {
  while (::syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC) >= 0 && ::fcntl(STDERR_FILENO, F_GETFD) < 0) {
  }
}

inline thread_local bool is_apart = false;

}  // namespace own_table_detail

/// Of the calling thread.
inline bool has_own_table() noexcept { return own_table_detail::is_apart; }

/// The calling thread has a table of its own from now on, with nothing of the process's but `kept`, which has its number. What lies
/// above that is not even copied for a moment: some devices take the closing of a copy for the process's end (XPMEM's).
/// in: kept  -1: none; 0 to 2 are none that may be
/// errors: false: it has the process's table still
inline bool begin_own_table(int kept = -1) noexcept {
  using namespace own_table_detail;
  const auto beyond = static_cast<unsigned>(kept + 1);
  if (!close_range_of(beyond, ~0u, unshare_first)) {
    if (::unshare(CLONE_FILES) != 0) return false;
    close_all_but(kept);
  } else if (kept > 0) {
    close_range_of(0, static_cast<unsigned>(kept) - 1, 0);
  }
  is_apart = true;
  fill_standard();
  return true;
}

/// Does work that opens files and closes them again. What it leaves open is closed; of the process's it has none. If there is
/// no thread to be had, it is done here.
/// errors: what work throws
template <class Work>
void in_own_table(Work work) {
  std::exception_ptr error;
  const auto guarded = [&]() noexcept {
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
  };
  try {
    std::thread apart([&]() noexcept {
      begin_own_table();
      guarded();
    });
    apart.join();
  } catch (const std::system_error&) {
    guarded();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace mana::core
