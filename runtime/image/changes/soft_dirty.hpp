// Finds changes by the soft-dirty bits of the page tables (Linux 3.11, CONFIG_MEM_SOFT_DIRTY). A mark clears the bits
// of the whole process, and each write sets one (Documentation/admin-guide/mm/soft-dirty.rst). No privilege is needed.
#pragma once
#include <runtime/image/changes/change_source.hpp>

#include <cstdint>

namespace mana::image {

/// A clean bit does not tell three things:
/// - whether another process has cleared it. This class writes to a page of its own after each mark. Clearing the other
///   pages' bits clears this page's bit too, and then no page counts as unwritten.
/// - whether the page was given back and read again. Such a page has zeros and a clean bit. Therefore a page that reads
///   as zeros never counts as unwritten.
/// - anything of a missing page: it counts as written, too.
class soft_dirty final : public change_source {
 public:
  /// errors: std::runtime_error: why this kernel cannot
  soft_dirty();
  ~soft_dirty() override;

  std::vector<page_range> mark(std::span<const region> regions) override;

 private:
  void close_all() noexcept;
  const char* find_obstacle() noexcept;
  bool read_entries(std::uintptr_t begin, std::size_t pages, std::uint64_t* entries) const noexcept;
  bool is_witness_dirty() const noexcept;
  bool clear_all() noexcept;
  void find_unwritten(const region& r, std::vector<page_range>& found);

  int pagemap_ = -1, clear_ = -1;
  volatile char* witness_ = nullptr;         // only this class writes to this page
  bool marked_ = false;
  std::vector<std::uint64_t> entries_;       // of the kernel's pagemap, for a part of a region
};

}  // namespace mana::image
