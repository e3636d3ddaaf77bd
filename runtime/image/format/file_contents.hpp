// Contents of a file without a name. No memory shows them, so the writer of an image reads them through a descriptor.
#pragma once
#include <mana/image/format.hpp>

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>
#include <vector>

namespace mana::image {

struct file_part { std::int64_t begin, end; };     // bytes of the file

/// Only the constructor allocates or throws.
class file_contents {
 public:
  /// in: is_own  this object closes the descriptor at its end
  ///     parts   the bytes to read, ascending, without overlap. The rest is holes, or is kept elsewhere
  file_contents(int fd, bool is_own, std::vector<file_part> parts) : fd_(fd), is_own_(is_own), parts_(std::move(parts)) {}
  ~file_contents() {
    if (is_own_) close(fd_);
  }
  file_contents(const file_contents&) = delete;
  file_contents& operator=(const file_contents&) = delete;

  /// Marks the pages, from `offset` on, that contain a part.      out: whether there is one
  bool find(std::uint64_t offset, std::size_t pages, bool* holds) const noexcept {
    std::fill_n(holds, pages, false);
    const auto begin = static_cast<std::int64_t>(offset), end = begin + static_cast<std::int64_t>(pages * page_bytes);
    auto at = std::upper_bound(parts_.begin(), parts_.end(), begin, [](auto a, const file_part& p) { return a < p.end; });
    bool any = false;
    for (; at != parts_.end() && at->begin < end; ++at, any = true) {
      const auto first = static_cast<std::size_t>(std::max(at->begin, begin) - begin) / page_bytes;
      const auto last = (static_cast<std::size_t>(std::min(at->end, end) - begin) + page_bytes - 1) / page_bytes;
      std::fill(holds + first, holds + last, true);
    }
    return any;
  }

  /// Copies the wanted pages to the same places in `into`, with zeros behind the file's end.
  /// out: false: errno says why
  bool copy(std::uint64_t offset, std::size_t pages, const bool* wanted, char* into) const noexcept {
    for (std::size_t i = 0; i < pages;) {
      std::size_t n = i;
      while (n < pages && wanted[n] == wanted[i]) ++n;
      if (wanted[i] && !read(offset + i * page_bytes, (n - i) * page_bytes, into + i * page_bytes)) return false;
      i = n;
    }
    return true;
  }

 private:
  bool read(std::uint64_t offset, std::size_t bytes, char* into) const noexcept {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t n = pread(fd_, into + done, bytes - done, static_cast<off_t>(offset + done));
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      if (n == 0) std::memset(into + done, 0, bytes - done);
      done += n == 0 ? bytes - done : static_cast<std::size_t>(n);
    }
    return true;
  }

  int fd_;
  bool is_own_;
  std::vector<file_part> parts_;
};

}  // namespace mana::image
