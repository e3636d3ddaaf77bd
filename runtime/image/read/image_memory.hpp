// The memory of an image, page by page, without a restore.
#pragma once
#include <runtime/image/memory/page_source.hpp>
#include <runtime/image/read/chunk_reader.hpp>
#include <runtime/image/read/rank_image.hpp>
#include <runtime/image/write/image_writer.hpp>

#include <functional>
#include <memory>
#include <optional>

namespace mana::image {

/// Regions must be asked for in the order of the image, and their memory in ascending order. Unreadable memory fails
/// the writer, and failure() keeps the reason.
class image_memory final : public page_source {
 public:
  /// in: looked  called with the number of bytes of memory that were read
  explicit image_memory(const rank_image& of, std::function<void(std::uint64_t)> looked = [](std::uint64_t) {});

  bool open() noexcept override;
  int find_touched(const region& r, std::uintptr_t begin, std::size_t pages, bool* touched) noexcept override;
  bool copy(const region& r, std::uintptr_t begin, std::size_t pages, bool* wanted, char* into) noexcept override;

  /// Why a page could not be read.
  const std::optional<files::image_error>& failure() const noexcept { return failure_; }

 private:
  void read(std::uintptr_t begin, std::uintptr_t end, bool* touched);

  const rank_image& image_;
  const std::function<void(std::uint64_t)> looked_;
  std::unique_ptr<chunk_reader> in_;
  std::unique_ptr<char[]> window_;       // that was read last
  std::optional<files::image_error> failure_;
};

/// Writes to the new file `path` an image that holds all of its memory, in the present version of the format.
/// in:     mode          text for the section "saving", if the image has one
///         pack_threads  as image_plan::pack_threads
///         looked        called with the number of bytes of memory that were read
/// errors: image_error (missing, damaged, version, not_own, io); an incomplete file is removed
write_result write_whole(const rank_image& of, const std::string& path, const std::string& mode, const packing& how,
                         unsigned pack_threads = 1, const std::function<void(std::uint64_t)>& looked = [](std::uint64_t) {});

}  // namespace mana::image
