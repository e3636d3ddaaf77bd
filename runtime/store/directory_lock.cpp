#include <runtime/store/directory_lock.hpp>

#include <fcntl.h>

#include <cerrno>
#include <thread>

namespace mana::store {

namespace {

// Bytes of the file. A generation has the byte of its number, from 1 on.
constexpr std::uint64_t whole = 0;
constexpr std::uint64_t job = std::uint64_t{1} << 62;      // no generation has such a number

struct flock range_of(std::uint64_t at, std::uint64_t count, int type) noexcept {
  struct flock range{};
  range.l_type = static_cast<short>(type);
  range.l_whence = SEEK_SET;
  range.l_start = static_cast<off_t>(at);
  range.l_len = static_cast<off_t>(count);
  return range;
}

}  // namespace

directory_lock::directory_lock(const files::own_directory& directory, lock_kind kind, std::uint64_t at,
                               std::chrono::milliseconds patience)
    : at_(at) {
  constexpr std::chrono::milliseconds pause{2};
  try {
    file_ = directory.open_or_make_file(file_name);
  } catch (const files::image_error&) {
    return;
  }
  const auto deadline = std::chrono::steady_clock::now() + patience;
  for (;;) {
    struct flock range = range_of(at, 1, kind == lock_kind::shared ? F_RDLCK : F_WRLCK);
    if (fcntl(file_.get(), F_OFD_SETLK, &range) == 0) {
      end_ = lock_end::held;
      return;
    }
    if (errno == EINTR) continue;
    const bool busy = errno == EAGAIN || errno == EACCES;
    end_ = busy ? lock_end::busy : lock_end::none_here;
    if (!busy || std::chrono::steady_clock::now() >= deadline) break;
    std::this_thread::sleep_for(pause);
  }
  file_.reset();
}

directory_lock directory_lock::of_all(const files::own_directory& directory, lock_kind kind,
                                      std::chrono::milliseconds patience) {
  return {directory, kind, whole, patience};
}

directory_lock directory_lock::of_generation(const files::own_directory& directory, std::uint64_t number) {
  return {directory, lock_kind::exclusive, number, std::chrono::milliseconds(0)};
}

directory_lock directory_lock::of_job(const files::own_directory& directory) {
  return {directory, lock_kind::exclusive, job, std::chrono::milliseconds(0)};
}

lock_end directory_lock::state_of_generation(const files::own_directory& directory, std::uint64_t number) {
  return state_of_generations(directory, number, number + 1);
}

lock_end directory_lock::state_of_generations(const files::own_directory& directory, std::uint64_t begin,
                                              std::uint64_t end) {
  try {
    const files::descriptor file = directory.open_or_make_file(file_name);
    struct flock range = range_of(begin, end - begin, F_WRLCK);
    int n = 0;
    do n = fcntl(file.get(), F_OFD_GETLK, &range);
    while (n != 0 && errno == EINTR);
    return n != 0 ? lock_end::none_here : range.l_type == F_UNLCK ? lock_end::held : lock_end::busy;
  } catch (const files::image_error&) {
    return lock_end::none_here;
  }
}

directory_lock& directory_lock::operator=(directory_lock&& other) noexcept {
  if (this == &other) return *this;
  release();
  file_ = std::move(other.file_);
  at_ = other.at_;
  end_ = other.end_;
  return *this;
}

void directory_lock::release() noexcept {
  if (!file_) return;
  struct flock range = range_of(at_, 1, F_UNLCK);
  fcntl(file_.get(), F_OFD_SETLK, &range);
  file_.reset();
  end_ = lock_end::none_here;
}

}  // namespace mana::store
