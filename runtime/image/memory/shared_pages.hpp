// Finds the existing pages of files that are in memory alone (memfd, tmpfs, System V, anonymous shared memory). Reading
// a missing page would make it permanently: a sparse file of a terabyte would take a terabyte.
#pragma once
#include <runtime/image/format/regions.hpp>

#include <cstddef>
#include <cstdint>

namespace mana::image {

/// Asks mincore, which sees the pages in memory. Only on nodes without swap no page can be elsewhere. The objects are
/// not opened to be asked (SEEK_DATA): closing them would drop the locks that the program holds on them (fcntl). Only
/// the constructor allocates or throws.
class shared_pages {
 public:
  static constexpr std::size_t capacity = 32768;       // pages in one question: 128 MiB
  shared_pages();
  ~shared_pages();
  shared_pages(const shared_pages&) = delete;
  shared_pages& operator=(const shared_pages&) = delete;

  /// Forgets what was known.
  void begin() noexcept;

  /// out: for each page of [begin, begin + pages), bit 0: the page exists; nullptr: unknown. Valid until the next call
  const unsigned char* find(const region& r, std::uintptr_t begin, std::size_t pages) noexcept;
  /// The end of the last known region of find(), or the end of its file if a restart maps the file again.
  std::uintptr_t end_of_file() const noexcept { return end_of_file_; }

 private:
  bool look_at(const region& r) noexcept;

  bool has_swap_ = true;
  std::uint64_t nameless_ = 0;                         // device of files without a path
  const region* region_ = nullptr;                     // of the last find()
  bool known_ = false;                                 // its file is in memory alone, and its end is known
  std::uintptr_t end_of_file_ = 0;
  unsigned char* pages_;
  std::uintptr_t begin_ = 0, end_ = 0;                 // range that pages_ describes
};

}  // namespace mana::image
