// Sequential, buffered reading and writing of one file, with errors that name it.
#pragma once
#include "image_error.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace mana::image {

/// What a user can do about an errno of a file operation; empty if we know nothing.
inline const char* remedy(int error) noexcept {
  switch (error) {
    case ENOSPC: return "; free space there, or name another directory with --ckpt-dir";
    case EDQUOT: return "; your quota is used up: free space there, or name another directory with --ckpt-dir";
    case EFBIG: return "; raise the limit on the size of files (ulimit -f)";
    case EACCES:
    case EPERM: return "; give this user the right to it";
    case EROFS: return "; name a directory that can be written with --ckpt-dir";
    case EMFILE:
    case ENFILE: return "; raise the limit on open files (ulimit -n)";
    case EIO: return "; the disk or its file system is at fault";
    default: return "";
  }
}

/// errno says why.
[[noreturn]] inline void throw_io(const std::string& path, const char* what) {
  const int error = errno;
  throw image_error(error_kind::io, path + ": " + what + ": " + std::strerror(error) + remedy(error));
}

class file_writer {
 public:
  explicit file_writer(std::string path) : path_(std::move(path)), buffer_(new char[capacity]) {
    fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd_ < 0) throw_io(path_, "cannot be created");
    rlimit limit{};
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0) limit_ = limit.rlim_cur;
  }
  /// A file that was not finished is removed.
  ~file_writer() {
    if (fd_ < 0) return;
    close(fd_);
    unlink(path_.c_str());
  }
  file_writer(const file_writer&) = delete;
  file_writer& operator=(const file_writer&) = delete;

  void append(const void* data, std::size_t bytes) {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
      const std::size_t part = std::min(bytes, capacity - used_);
      std::memcpy(buffer_.get() + used_, at, part);
      used_ += part;
      at += part;
      bytes -= part;
      if (used_ == capacity) flush();
    }
  }
  /// Room for up to `bytes` (at most a quarter of the buffer) that the caller fills and then commits.
  char* room(std::size_t bytes) {
    if (capacity - used_ < bytes) flush();
    return buffer_.get() + used_;
  }
  void commit(std::size_t bytes) noexcept { used_ += bytes; }

  /// The disk takes less than it is given: the last part had to wait for an earlier one.
  bool is_ahead_of_disk() const noexcept { return ahead_; }

  /// Everything is on the disk when this returns. out: bytes of the file
  std::uint64_t finish() {
    flush();
    if (fsync(fd_) != 0) throw_io(path_, "cannot be made durable");
    const int fd = std::exchange(fd_, -1);
    if (close(fd) == 0) return written_;
    const int error = errno;
    unlink(path_.c_str());
    errno = error;
    throw_io(path_, "cannot be closed");
  }

 private:
  static constexpr std::size_t capacity = 4u << 20;
  static constexpr std::uint64_t under_way = 32u << 20;     // bytes that are given to the disk and not waited for
  static constexpr std::chrono::milliseconds prompt{2};     // half of what packing a part takes

  void flush() {
    // A write beyond the limit would raise SIGXFSZ, and that signal's action belongs to the program.
    if (limit_ != RLIM_INFINITY && written_ + used_ > limit_) {
      errno = EFBIG;
      throw_io(path_, "cannot be written");
    }
    for (std::size_t done = 0; done < used_;) {
      const ssize_t n = write(fd_, buffer_.get() + done, used_ - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw_io(path_, "cannot be written");
      done += static_cast<std::size_t>(n);
    }
    // The disk starts on it now, while the next part is made; without this it would begin at the fsync.
    sync_range(written_, used_, SYNC_FILE_RANGE_WRITE);
    written_ += used_;
    used_ = 0;
    keep_pace();
  }

  /// No more is under way than the disk can be kept busy with: what more is dirty only waits in memory.
  void keep_pace() {
    if (written_ <= waited_for_ + under_way) return;
    const auto begin = std::chrono::steady_clock::now();
    sync_range(waited_for_, written_ - under_way - waited_for_, SYNC_FILE_RANGE_WAIT_BEFORE);
    waited_for_ = written_ - under_way;
    ahead_ = std::chrono::steady_clock::now() - begin > prompt;
  }

  /// An error that this call reports is not reported by fsync any more.
  void sync_range(std::uint64_t begin, std::uint64_t bytes, unsigned flags) {
    if (sync_file_range(fd_, static_cast<off_t>(begin), static_cast<off_t>(bytes), flags) == 0) return;
    if (errno == ENOSYS || errno == EINVAL || errno == ESPIPE) return;     // no such thing here; fsync does it all
    throw_io(path_, "cannot be written");
  }

  std::string path_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
  std::uint64_t written_ = 0, waited_for_ = 0;
  bool ahead_ = false;
  rlim_t limit_ = RLIM_INFINITY;
  int fd_ = -1;
};

/// Reads from a descriptor's current position on. out: false at a premature end of the file
class file_reader {
 public:
  file_reader(int fd, const std::string& path) : fd_(fd), path_(path), buffer_(new char[capacity]) {}

  bool read(void* into, std::size_t bytes) {
    char* at = static_cast<char*>(into);
    while (bytes > 0) {
      if (begin_ == end_ && !refill()) return false;
      const std::size_t part = std::min(bytes, end_ - begin_);
      std::memcpy(at, buffer_.get() + begin_, part);
      begin_ += part;
      at += part;
      bytes -= part;
    }
    return true;
  }
  /// Bytes that are the file's next, in the buffer: valid until the next call. out: nullptr at a premature end
  /// in: bytes  at most a quarter of the buffer
  const char* view(std::size_t bytes) {
    while (end_ - begin_ < bytes)
      if (!refill()) return nullptr;
    return buffer_.get() + std::exchange(begin_, begin_ + bytes);
  }
  /// True if nothing follows.
  bool at_end() { return begin_ == end_ && !refill(); }

 private:
  static constexpr std::size_t capacity = 1u << 20;

  /// Keeps what was not taken yet.
  bool refill() {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= std::exchange(begin_, 0);
    for (;;) {
      const ssize_t n = ::read(fd_, buffer_.get() + end_, capacity - end_);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw_io(path_, "cannot be read");
      end_ += static_cast<std::size_t>(n);
      return n > 0;
    }
  }

  int fd_;
  const std::string& path_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace mana::image
