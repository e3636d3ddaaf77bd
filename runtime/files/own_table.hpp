// Tables of descriptors for single threads of a lower half, beside a running program.
//
// INV-87 no descriptor that mana opens while the program runs has, for however short, a number that the program could
// get. If mana moved a descriptor after its opening, another thread could open a file in between, and get another
// number than natively. So a thread of mana that opens files then has its own table.
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

/// For kernels before 5.9.
inline void close_all_but(int kept) noexcept {
  DIR* const listed = ::opendir("/proc/thread-self/fd");
  if (listed == nullptr) return;
  std::vector<int> open;
  while (const dirent* entry = ::readdir(listed))
    if (const int fd = std::atoi(entry->d_name); entry->d_name[0] != '.' && fd != kept && fd != dirfd(listed)) open.push_back(fd);
  ::closedir(listed);
  for (const int fd : open) ::close(fd);
}

/// Libraries write to standard error by number, and must not find another file there. System calls: nothing may move
/// these descriptors.
inline void fill_standard() noexcept {
  while (::syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC) >= 0 && ::fcntl(STDERR_FILENO, F_GETFD) < 0) {
  }
}

inline thread_local bool is_apart = false;

}  // namespace own_table_detail

/// Whether the calling thread has its own table.
inline bool has_own_table() noexcept { return own_table_detail::is_apart; }

/// Gives the calling thread its own table. Of the process's table it has only `kept`, under the same number.
/// Descriptors above `kept` are never copied, because some devices (XPMEM's) take the closing of a copy for the end of
/// the process.
/// in: kept  -1: none; must not be 0 to 2
/// errors: false: the thread still has the process's table
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

/// The kernel copies the first 64 numbers of a table in any case. When such a copy of a message queue is closed, the
/// kernel thinks that the process has closed it, and no longer notifies the process (mq_notify). An owner of such a
/// request asks again.
struct table_loss {
  void* (*look)() noexcept;            // the requests that exist; null: none
  void (*ask_again)(void* seen) noexcept;
};
inline constinit std::atomic<const table_loss*> loss_of_tables{nullptr};

/// Exists while a thread starts that gets its own table. At its end, requests that this has ended are made again. Use it
/// in a thread that has the process's table.
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

/// Does work that opens files and closes them again, in a thread with its own table. Files that it leaves open are
/// closed. If no thread can be started, or the calling thread has its own table, the work is done here.
/// errors: what `work` throws
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
