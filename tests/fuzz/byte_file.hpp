// A file in memory with the bytes of a fuzzer's input, for readers that want a path.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>
#include <string>

/// One per process: what it holds is replaced.
class byte_file {
 public:
  byte_file() : fd_(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (fd_ < 0) std::abort();
  }
  ~byte_file() { close(fd_); }
  byte_file(const byte_file&) = delete;
  byte_file& operator=(const byte_file&) = delete;

  void hold(std::span<const std::uint8_t> bytes) {
    if (ftruncate(fd_, 0) != 0 || pwrite(fd_, bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) std::abort();
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(fd_); }
  int descriptor() const { return fd_; }

 private:
  int fd_;
};
