#include "own_memory.hpp"

#include <mana/image/format.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace mana::image {

bool is_zero(const char* page) noexcept {
  const auto* const words = reinterpret_cast<const std::uint64_t*>(page);
  for (std::size_t i = 0; i < page_bytes / sizeof *words; i += 8) {
    std::uint64_t any = 0;
    for (std::size_t k = 0; k < 8; ++k) any |= words[i + k];
    if (any != 0) return false;
  }
  return true;
}

own_memory::own_memory() : entries_(new std::uint64_t[capacity]) {}

own_memory::~own_memory() {
  close_all();
  delete[] entries_;
}

void own_memory::close_all() noexcept {
  if (pagemap_ >= 0) close(pagemap_);
  if (memory_ >= 0) close(memory_);
  pagemap_ = memory_ = -1;
}

bool own_memory::open() noexcept {
  close_all();
  begin_ = end_ = 0;
  pagemap_ = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  memory_ = ::open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
  return pagemap_ >= 0 && memory_ >= 0;
}

int own_memory::find_touched(const region& r, std::uintptr_t begin, std::size_t pages, bool* touched) noexcept {
  if (r.is_file || r.shared) {
    std::fill_n(touched, pages, true);
    return 1;
  }
  constexpr std::uint64_t present_or_swapped = std::uint64_t{3} << 62;
  const std::uint64_t* const entries = page_entries(r, begin, pages);
  if (entries == nullptr) return -1;
  bool any = false;
  for (std::size_t i = 0; i < pages; ++i) any |= touched[i] = (entries[i] & present_or_swapped) != 0;
  return any ? 1 : 0;
}

/// Read for many pages at a time: large reservations are mostly holes.
const std::uint64_t* own_memory::page_entries(const region& r, std::uintptr_t begin, std::size_t pages) noexcept {
  if (begin < begin_ || begin + pages * page_bytes > end_) {
    const std::size_t count = std::min((r.end - begin) / page_bytes, capacity);
    const std::size_t bytes = count * sizeof *entries_;
    if (pread(pagemap_, entries_, bytes, static_cast<off_t>(begin / page_bytes * sizeof *entries_)) !=
        static_cast<ssize_t>(bytes))
      return nullptr;
    begin_ = begin;
    end_ = begin + count * page_bytes;
  }
  return entries_ + (begin - begin_) / page_bytes;
}

void own_memory::copy(const region& r, std::uintptr_t begin, std::size_t pages, bool* wanted,
                      char* into) noexcept {
  // Not protected pages, and not those of files, which may end before their mapping does.
  const bool in_place = (r.protection & PROT_READ) != 0 && !r.is_file;
  for (std::size_t i = 0; i < pages;) {
    std::size_t n = i;
    while (n < pages && wanted[n] == wanted[i]) ++n;
    const std::size_t bytes = (n - i) * page_bytes;
    const std::uintptr_t from = begin + i * page_bytes;
    char* const to = into + i * page_bytes;
    if (wanted[i] && in_place) {
      std::memcpy(to, reinterpret_cast<const char*>(from), bytes);
    } else if (wanted[i] && pread(memory_, to, bytes, static_cast<off_t>(from)) != static_cast<ssize_t>(bytes)) {
      for (std::size_t k = i; k < n; ++k)
        wanted[k] = pread(memory_, into + k * page_bytes, page_bytes, static_cast<off_t>(begin + k * page_bytes)) ==
                    static_cast<ssize_t>(page_bytes);
    }
    i = n;
  }
}

}  // namespace mana::image
