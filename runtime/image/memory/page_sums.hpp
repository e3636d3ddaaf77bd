// Checksums of the pages in an image, to find the pages that did not change since.
#pragma once
#include <runtime/image/format/checksum.hpp>
#include <runtime/image/format/regions.hpp>

#include <mana/image/format.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace mana::image {

/// One checksum for each page of some regions, in memory that a forked writer shares with its parent. Unused parts take
/// no memory.
class page_sums {
 public:
  static constexpr std::uint64_t unknown = 0, of_zeros = 1;
  static std::uint64_t of(const char* page) noexcept { return std::max<std::uint64_t>(wide_checksum(page, page_bytes), 2); }

  page_sums() = default;
  /// All sums are unknown.     errors: std::bad_alloc
  explicit page_sums(std::span<const region> regions) {
    std::size_t pages = 0;
    for (const region& r : regions) {
      ranges_.push_back({r.begin, r.end, pages});
      pages += (r.end - r.begin) / page_bytes;
    }
    bytes_ = pages * sizeof *sums_;
    if (bytes_ == 0) return;
    void* const at =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    sums_ = static_cast<std::uint64_t*>(at);
  }
  ~page_sums() {
    if (sums_ != nullptr) munmap(sums_, bytes_);
  }
  page_sums(page_sums&& from) noexcept
      : ranges_(std::move(from.ranges_)), sums_(std::exchange(from.sums_, nullptr)),
        bytes_(std::exchange(from.bytes_, 0)) {}
  page_sums& operator=(page_sums&& from) noexcept {
    std::swap(ranges_, from.ranges_);
    std::swap(sums_, from.sums_);
    std::swap(bytes_, from.bytes_);
    return *this;
  }

  std::uint64_t get(std::uintptr_t page) const noexcept {
    const std::uint64_t* const at = find(page);
    return at == nullptr ? unknown : *at;
  }
  void set(std::uintptr_t page, std::uint64_t sum) noexcept {
    if (std::uint64_t* const at = find(page); at != nullptr) *at = sum;
  }

 private:
  struct range { std::uintptr_t begin, end; std::size_t first; };

  std::uint64_t* find(std::uintptr_t page) const noexcept {
    const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), page,
                                        [](std::uintptr_t at, const range& r) { return at < r.begin; });
    if (after == ranges_.begin()) return nullptr;
    const range& r = *std::prev(after);
    return page < r.end ? sums_ + r.first + (page - r.begin) / page_bytes : nullptr;
  }

  std::vector<range> ranges_;            // ascending
  std::uint64_t* sums_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace mana::image
