// Sequential, buffered reading and writing of one file, with errors that name it.
#pragma once
#include "image_error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

namespace mana::image {

[[noreturn]] inline void throw_io(const std::string& path, const char* what) {
  throw image_error(error_kind::io, path + ": " + what + ": " + std::strerror(errno));
}

class file_writer {
 public:
  explicit file_writer(std::string path) : path_(std::move(path)), buffer_(new char[capacity]) {
    fd_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd_ < 0) throw_io(path_, "cannot be created");
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

  /// Everything is on the disk when this returns. out: bytes of the file
  std::uint64_t finish() {
    flush();
    if (fsync(fd_) != 0) throw_io(path_, "cannot be made durable");
    const int fd = std::exchange(fd_, -1);
    if (close(fd) != 0) {
      unlink(path_.c_str());
      throw_io(path_, "cannot be closed");
    }
    return written_;
  }

 private:
  static constexpr std::size_t capacity = 4u << 20;

  void flush() {
    for (std::size_t done = 0; done < used_;) {
      const ssize_t n = write(fd_, buffer_.get() + done, used_ - done);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) throw_io(path_, "cannot be written");
      done += static_cast<std::size_t>(n);
    }
    written_ += used_;
    used_ = 0;
  }

  std::string path_;
  std::unique_ptr<char[]> buffer_;
  std::size_t used_ = 0;
  std::uint64_t written_ = 0;
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
  /// True if nothing follows.
  bool at_end() { return begin_ == end_ && !refill(); }

 private:
  static constexpr std::size_t capacity = 1u << 20;

  bool refill() {
    begin_ = end_ = 0;
    for (;;) {
      const ssize_t n = ::read(fd_, buffer_.get(), capacity);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) throw_io(path_, "cannot be read");
      end_ = static_cast<std::size_t>(n);
      return n > 0;
    }
  }

  int fd_;
  const std::string& path_;
  std::unique_ptr<char[]> buffer_;
  std::size_t begin_ = 0, end_ = 0;
};

}  // namespace mana::image
