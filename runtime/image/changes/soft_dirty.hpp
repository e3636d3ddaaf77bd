// Changes by the soft-dirty bits of the page tables (Linux 3.11, CONFIG_MEM_SOFT_DIRTY): cleared for the whole process, set by
// each write (Documentation/admin-guide/mm/soft-dirty.rst). No privilege is needed.
#pragma once
#include <runtime/image/changes/change_source.hpp>

#include <cstdint>

namespace mana::image {

/// Three things that a clean bit does not say:
/// - whether somebody else has cleared it: a page of our own is written to after each mark, and whoever clears the others
///   clears its bit too. Then nothing is called unwritten.
/// - whether the page was given back and read again, which is then one of zeros with a clean bit: pages that read as zeros
///   are never called unwritten.
/// - anything of a page that is not there: it counts as written, too.
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
  volatile char* witness_ = nullptr;         // a page that nobody but this writes to
  bool marked_ = false;
  std::vector<std::uint64_t> entries_;       // of the kernel's pagemap, for a part of a region
};

}  // namespace mana::image
