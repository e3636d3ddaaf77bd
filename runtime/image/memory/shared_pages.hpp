// Which pages there are of files that are in memory alone (memfd, tmpfs, System V, anonymous shared memory). To read one that is
// not there would make it, for good: a sparse file of a terabyte would take a terabyte.
#pragma once
#include <runtime/image/format/regions.hpp>

#include <cstddef>
#include <cstdint>

namespace mana::image {

/// Known by mincore, which sees what is in memory, where no page can be elsewhere: on machines without swap. The objects are not
/// opened to be asked (SEEK_DATA): closing them would drop the locks that the program holds on them (fcntl). Nothing
/// allocates or throws but the constructor.
class shared_pages {
 public:
  static constexpr std::size_t capacity = 32768;       // pages that are asked for at once: 128 MiB
  shared_pages();
  ~shared_pages();
  shared_pages(const shared_pages&) = delete;
  shared_pages& operator=(const shared_pages&) = delete;

  /// What was known is forgotten.
  void begin() noexcept;

  /// out: by page of [begin, begin + pages), bit 0: it is there; nullptr: not known. Valid until the next call
  const unsigned char* find(const region& r, std::uintptr_t begin, std::size_t pages) noexcept;
  /// Of the region that find() was asked about last and knew: where its file ends, if a restart maps it again, else the region.
  std::uintptr_t end_of_file() const noexcept { return end_of_file_; }

 private:
  bool look_at(const region& r) noexcept;

  bool has_swap_ = true;
  std::uint64_t nameless_ = 0;                         // device of what has no path
  const region* region_ = nullptr;                     // that was asked for last
  bool known_ = false;                                 // of it: whether its file is in memory, and ends where
  std::uintptr_t end_of_file_ = 0;
  unsigned char* pages_;
  std::uintptr_t begin_ = 0, end_ = 0;                 // that pages_ describes
};

}  // namespace mana::image
