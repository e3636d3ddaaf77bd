#include <runtime/image/changes/soft_dirty.hpp>

#include <runtime/image/memory/own_memory.hpp>
#include <runtime/image/memory/pagemap_bits.hpp>

#include <mana/image/format.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <stdexcept>

namespace mana::image {

namespace {

constexpr std::size_t entries_at_once = 32768;       // 128 MiB of memory

}  // namespace

soft_dirty::soft_dirty()
    : pagemap_(open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC)), clear_(open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)),
      entries_(entries_at_once) {
  void* const page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page != MAP_FAILED) witness_ = static_cast<volatile char*>(page);
  const char* const obstacle = find_obstacle();
  if (obstacle == nullptr) return;
  close_all();
  throw std::runtime_error(obstacle);
}

soft_dirty::~soft_dirty() { close_all(); }

void soft_dirty::close_all() noexcept {
  if (witness_ != nullptr) munmap(const_cast<char*>(witness_), page_bytes);
  if (pagemap_ >= 0) close(pagemap_);
  if (clear_ >= 0) close(clear_);
}

/// Some kernels lose the bit of a page that becomes writable again (mprotect in Linux 6.0).
const char* soft_dirty::find_obstacle() noexcept {
  if (witness_ == nullptr || pagemap_ < 0 || clear_ < 0) return "soft-dirty bits cannot be read from /proc/self";
  void* const page = const_cast<char*>(witness_);
  *witness_ = 1;
  if (!is_witness_dirty()) return "this kernel has no soft-dirty bits";
  if (!clear_all() || is_witness_dirty()) return "soft-dirty bits cannot be cleared";
  if (mprotect(page, page_bytes, PROT_READ) != 0 || mprotect(page, page_bytes, PROT_READ | PROT_WRITE) != 0)
    return "soft-dirty bits cannot be tried";
  *witness_ = 2;
  return is_witness_dirty() ? nullptr : "this kernel loses soft-dirty bits";
}

bool soft_dirty::read_entries(std::uintptr_t begin, std::size_t pages, std::uint64_t* entries) const noexcept {
  const std::size_t bytes = pages * sizeof *entries;
  return pread(pagemap_, entries, bytes, static_cast<off_t>(begin / page_bytes * sizeof *entries)) == static_cast<ssize_t>(bytes);
}

bool soft_dirty::is_witness_dirty() const noexcept {
  std::uint64_t entry = 0;
  return read_entries(reinterpret_cast<std::uintptr_t>(witness_), 1, &entry) && (entry & pagemap::dirty) != 0;
}

bool soft_dirty::clear_all() noexcept { return write(clear_, "4", 1) == 1; }

std::vector<page_range> soft_dirty::mark(std::span<const region> regions) {
  std::vector<page_range> unwritten;
  if (marked_ && is_witness_dirty())
    for (const region& r : regions)
      if (is_private_memory(r) && !r.is_file && (r.protection & PROT_READ) != 0) find_unwritten(r, unwritten);
  marked_ = clear_all();
  *witness_ = static_cast<char>(*witness_ + 1);
  return unwritten;
}

/// A page whose state cannot be read counts as written.
void soft_dirty::find_unwritten(const region& r, std::vector<page_range>& found) {
  for (std::uintptr_t at = r.begin; at < r.end;) {
    const std::size_t pages = std::min<std::size_t>((r.end - at) / page_bytes, entries_.size());
    if (!read_entries(at, pages, entries_.data())) return;
    for (std::size_t i = 0; i < pages; ++i, at += page_bytes) {
      const bool is_there = (entries_[i] & (pagemap::present | pagemap::swapped)) != 0;
      const bool is_clean = (entries_[i] & pagemap::dirty) == 0;
      if (!is_there || !is_clean) continue;
      const bool is_swapped = (entries_[i] & pagemap::swapped) != 0;      // the page of zeros never is
      if (is_swapped || !is_zero(reinterpret_cast<const char*>(at))) append_range(found, {at, at + page_bytes});
    }
  }
}

}  // namespace mana::image
