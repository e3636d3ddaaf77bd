// A temporary working directory, and descriptors that are "the upper half's" while a test runs.
#pragma once
#include "../temporary_directory.hpp"

#include <runtime/descriptors/capture.hpp>

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>

namespace mana::descriptors::tests {

/// Restored descriptors get numbers from here on: nothing of the test program has these.
inline constexpr int first_number = 40;

class held_descriptors {
 public:
  held_descriptors() : before_(std::filesystem::current_path()) {
    std::filesystem::current_path(directory_.path());
    for (int fd = 0; fd < 3; ++fd) all_.push_back({fd, next_file_++, fd, true});
  }
  ~held_descriptors() {
    close_all();
    std::filesystem::current_path(before_);
  }
  held_descriptors(const held_descriptors&) = delete;
  held_descriptors& operator=(const held_descriptors&) = delete;

  std::string directory() const { return directory_.path(); }
  void write(const std::string& file, const std::string& text) const { directory_.write(file, text); }

  /// Moves `fd` to a number of the test's, which is the program's own from now on.
  int hold(int fd) {
    REQUIRE(fd >= 0);
    return add(fd, next_file_++, -1);
  }
  /// As dup(2) of one that is held.
  int hold_duplicate(int fd) {
    const auto like = std::find_if(all_.begin(), all_.end(), [=](const auto& d) { return d.number == fd; });
    REQUIRE(like != all_.end());
    return add(dup(fd), like->file, like->standard);
  }
  void forget(int fd) {
    std::erase_if(all_, [=](const auto& d) { return d.number == fd; });
    close(fd);
  }

  captured taken(std::span<const shared_mapping> mapped = {}) {
    begin_with(all_);
    return capture(mapped);
  }
  /// As a fresh process: nothing is open at the program's numbers.
  void close_all() {
    for (const auto& d : all_)
      if (d.number >= first_number) close(d.number);
  }

 private:
  int add(int fd, std::uint64_t file, int standard) {
    const int number = next_number_++;
    REQUIRE(dup3(fd, number, fcntl(fd, F_GETFD) != 0 ? O_CLOEXEC : 0) == number);
    close(fd);
    all_.push_back({number, file, standard, false});
    return number;
  }

  std::filesystem::path before_;
  temporary_directory directory_;
  std::vector<owned_descriptor> all_;
  std::uint64_t next_file_ = 1;
  int next_number_ = first_number;
};

inline std::string read_some(int fd) {
  char text[256];
  const ssize_t n = read(fd, text, sizeof text);
  return n < 0 ? "error" : std::string(text, static_cast<std::size_t>(n));
}
inline std::int64_t offset_of(int fd) { return lseek(fd, 0, SEEK_CUR); }

}  // namespace mana::descriptors::tests
