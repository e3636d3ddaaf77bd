// Provides pages for memory that is read next, in as few steps as possible.
#pragma once
#include <runtime/image/format/contents.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mana::image {

/// The kernel finds and clears each page at its first use, which can cost more than to read it. If an image holds all
/// of a huge page, the memory gets a huge page, provided that the system gives them on request. The program's memory
/// gets no more of them than it would have, and no lasting mark such as that of MADV_HUGEPAGE.
///
/// INV-59 a restart asks for no page that the image does not hold
class first_use {
 public:
  static constexpr std::size_t huge_bytes = 2u << 20;
  /// The huge pages of one request: for each request the kernel interrupts every processor, and waits.
  static constexpr std::size_t stretch_bytes = 16 * huge_bytes;

  /// Uses small pages only.
  first_use() = default;
  /// The image's private memory must be mapped, writable and unused.
  explicit first_use(const contents& image);

  /// Gives pages to all of the memory that is written next. If there are none, the kernel tries again at the first use.
  void prepare(const page_range& next) noexcept;

 private:
  void add(const page_range& held);
  void make_huge(page_range& stretch) noexcept;

  std::vector<page_range> huge_;         // ascending, whole huge pages; empty: already requested
  bool gives_huge_ = true;               // the system does
};

}  // namespace mana::image
