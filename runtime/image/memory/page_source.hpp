// Where the writer of an image takes memory from.
#pragma once
#include <runtime/image/format/regions.hpp>

#include <cstddef>
#include <cstdint>

namespace mana::image {

class page_source {
 public:
  virtual ~page_source() = default;
  /// Before the first page is asked for, also in a process that was forked off.     out: false; errno says why
  virtual bool open() noexcept = 0;
  /// Marks the pages of [begin, begin + pages) that may hold something.      out: -1 failed, 0 none, 1 some
  virtual int find_touched(const region& r, std::uintptr_t begin, std::size_t pages, bool* touched) noexcept = 0;
  /// Copies the wanted pages to the same places in `into`. One that cannot be read, by the program neither, is not wanted any
  /// more.     out: false: there is one that cannot be read; errno says why
  virtual bool copy(const region& r, std::uintptr_t begin, std::size_t pages, bool* wanted, char* into) noexcept = 0;
};

}  // namespace mana::image
