// Contents of files without a name: what the image keeps of them, and where.
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

/// Where a file has data, in the file's bytes. `fd` is for reading.
std::vector<file_part> data_of(int fd, std::int64_t size);

/// All of `from` that is not in `taken`.
std::vector<file_part> without(const std::vector<file_part>& from, file_part taken);

std::int64_t bytes_of(const std::vector<file_part>& parts) noexcept;

/// What to read a file by: another opening, since the program's may be for writing only, and has a place. But a process's
/// record locks of a file end with any descriptor of it that is closed: of one that has some the program's own is taken, whose
/// place is put back, or one that is never closed.
class reading {
 public:
  explicit reading(int fd, const struct stat& s);
  ~reading();
  reading(const reading&) = delete;
  reading& operator=(const reading&) = delete;
  int descriptor() const noexcept { return fd_; }      // -1: it cannot be opened; error() says why
  int error() const noexcept { return error_; }
  /// To close it is the caller's from now on, if true.
  bool give_away() noexcept { return std::exchange(is_own_, false); }

 private:
  int fd_ = -1, error_ = 0;
  bool is_own_ = false, is_programs_ = false;
  off_t place_ = 0;
};

/// In the image's table of descriptors itself.
/// out: nothing: one cannot be read; errno says why
std::optional<nlohmann::json> read_parts(int fd, const std::vector<file_part>& parts);
/// errors: descriptor_error
void fill_parts(int fd, const nlohmann::json& parts, const std::string& path);

/// Gives contents addresses that nothing of the program has. So an image of changes sees which bytes are as they were:
/// INV-75 as long as a file is held, an address means the same bytes of it from one checkpoint to the next
class contents_places {
 public:
  explicit contents_places(std::span<const image::region> occupied);

  /// As regions, ascending by offset; holes of some MB within them cost nothing.
  /// errors: descriptor_error if there is more than addresses
  std::vector<image::region> place(file_key file, const std::string& path, std::int64_t size,
                                   std::shared_ptr<const image::file_contents> contents, const std::vector<file_part>& parts);
  /// What was not placed since the constructor has no addresses any more.
  void finish();

 private:
  std::uintptr_t find(std::uint64_t bytes) const;
  bool is_free(image::page_range wanted) const noexcept;

  std::vector<image::page_range> occupied_;
  std::map<file_key, image::page_range> placed_;
};

}  // namespace mana::descriptors
