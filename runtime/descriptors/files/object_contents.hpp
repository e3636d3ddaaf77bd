// Contents of files without a name: the part that the image keeps, and its place there.
#pragma once
#include <runtime/descriptors/base/proc_info.hpp>

#include <nlohmann/json.hpp>

#include <runtime/image/format/regions.hpp>

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mana::descriptors {

using image::file_part;

/// Parts of the file that have data, in bytes from its begin. `fd` is for reading.
std::vector<file_part> data_of(int fd, std::int64_t size);

/// All of `from` outside `taken`.
std::vector<file_part> without(const std::vector<file_part>& from, file_part taken);

std::int64_t bytes_of(const std::vector<file_part>& parts) noexcept;

/// A descriptor to read a file by. It is another open file, since the program's may be for writing only, and has a
/// position. But when a process closes any descriptor of a file, its record locks of the file end. If the file has
/// locks, the program's own descriptor is used and its position put back, or one that is never closed.
class reading {
 public:
  explicit reading(int fd, const struct stat& s);
  ~reading();
  reading(const reading&) = delete;
  reading& operator=(const reading&) = delete;
  int descriptor() const noexcept { return fd_; }      // -1: the file cannot be opened; error() says why
  int error() const noexcept { return error_; }
  /// If true, the caller must close the descriptor from now on.
  bool give_away() noexcept { return std::exchange(is_own_, false); }

 private:
  int fd_ = -1, error_ = 0;
  bool is_own_ = false, is_programs_ = false;
  off_t place_ = 0;
};

/// Reads the parts into the image's table of descriptors.
/// out: nothing: a part cannot be read; errno says why
std::optional<nlohmann::json> read_parts(int fd, const std::vector<file_part>& parts);
/// errors: descriptor_error
void fill_parts(int fd, const nlohmann::json& parts, const std::string& path);

/// Gives contents addresses that the program does not use, so that an incremental image sees which bytes are unchanged.
/// INV-75 as long as a file is held, an address means the same bytes of it from one checkpoint to the next
class contents_places {
 public:
  explicit contents_places(std::span<const image::region> occupied);

  /// As regions, ascending by offset; holes of some MB within a region cost nothing.
  /// errors: descriptor_error if the contents need more addresses than exist
  std::vector<image::region> place(file_key file, const std::string& path, std::int64_t size,
                                   std::shared_ptr<const image::file_contents> contents, const std::vector<file_part>& parts);
  /// Contents that were not placed since the constructor lose their addresses.
  void finish();

 private:
  std::uintptr_t find(std::uint64_t bytes) const;
  bool is_free(image::page_range wanted) const noexcept;

  std::vector<image::page_range> occupied_;
  std::map<file_key, image::page_range> placed_;
};

}  // namespace mana::descriptors
