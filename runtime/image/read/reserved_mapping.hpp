// Restores memory with the kernel's promise of memory that the program had for it: INV-84.
#pragma once
#include <runtime/image/format/regions.hpp>

namespace mana::image {

struct wanted_mapping {
  page_range memory;
  int protection, flags;             // with MAP_FIXED or MAP_FIXED_NOREPLACE
  int fd = -1;
  std::uint64_t offset = 0;
};

struct made_mapping {
  void* at;                          // as mmap returns it, with errno
  bool is_refused = false;           // the kernel refuses the promise; the memory is mapped without it
};

/// in: is_unreserved  the memory needs no promise
made_mapping map_reserved(const wanted_mapping& wanted, bool is_unreserved) noexcept;

}  // namespace mana::image
