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

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <exception>
#include <future>
#include <system_error>
#include <thread>
#include <vector>

namespace mana::files {

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

/// The kernel copies the first 64 numbers of a table in any case, and takes the closing of such a copy of a message queue for the
/// process's: it is not told of messages any more (mq_notify). Who knows what was asked for asks again.
struct table_loss {
  void* (*look)() noexcept;            // what there is; null: nothing
  void (*ask_again)(void* seen) noexcept;
};
inline constinit std::atomic<const table_loss*> loss_of_tables{nullptr};

/// As long as it lives, a thread that is begun meanwhile gets a table of its own. In a thread that has the process's.
class kept_of_table {
 public:
  kept_of_table() noexcept : loss_(has_own_table() ? nullptr : loss_of_tables.load()), seen_(loss_ ? loss_->look() : nullptr) {}
  ~kept_of_table() {
    if (seen_ != nullptr) loss_->ask_again(seen_);
  }
  kept_of_table(const kept_of_table&) = delete;
  kept_of_table& operator=(const kept_of_table&) = delete;

 private:
  const table_loss* loss_;
  void* seen_;
};

/// Does work that opens files and closes them again. What it leaves open is closed; of the process's it has none. If there is
/// no thread to be had, it is done here, as it is in a thread that has such a table already.
/// errors: what work throws
template <class Work>
void in_own_table(Work work) {
  if (has_own_table()) return work();
  std::exception_ptr error;
  const auto guarded = [&]() noexcept {
    try {
      work();
    } catch (...) {
      error = std::current_exception();
    }
  };
  try {
    std::promise<void> begun;
    std::thread apart;
    {
      const kept_of_table kept;
      apart = std::thread([&]() noexcept {
        begin_own_table();
        begun.set_value();
        guarded();
      });
      begun.get_future().wait();
    }
    apart.join();
  } catch (const std::system_error&) {
    guarded();
  }
  if (error) std::rethrow_exception(error);
}

}  // namespace mana::files
