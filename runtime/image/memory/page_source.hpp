// The source of the memory that goes into an image.
#pragma once
#include <runtime/image/format/regions.hpp>

#include <cstddef>
#include <cstdint>

namespace mana::image {

class page_source {
 public:
  virtual ~page_source() = default;
  /// Call it before the other functions, also in a forked process.     out: false; errno says why
  virtual bool open() noexcept = 0;
  /// Marks the pages of [begin, begin + pages) that may hold something.      out: -1 failed, 0 none, 1 some
  virtual int find_touched(const region& r, std::uintptr_t begin, std::size_t pages, bool* touched) noexcept = 0;
  /// Copies the wanted pages to the same places in `into`. A page that even the program cannot read is no longer
  /// wanted.
  /// out: false: a page that the program can read could not be read; errno says why
  virtual bool copy(const region& r, std::uintptr_t begin, std::size_t pages, bool* wanted, char* into) noexcept = 0;
};

}  // namespace mana::image
