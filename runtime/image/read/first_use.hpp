// Pages for memory that is about to be read, in as few steps as there can be.
#pragma once
#include <runtime/image/format/contents.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace mana::image {

/// The kernel finds and clears each page when it is used for the first time, which can cost more than to read it. Where an image
/// holds all of a huge page, the memory gets one, if the system has them for who asks: the program's memory is not more so, and
/// keeps no mark of it, as that of the advice MADV_HUGEPAGE.
///
/// INV-59 a restart asks for no page that the image does not hold
class first_use {
 public:
  static constexpr std::size_t huge_bytes = 2u << 20;
  /// As many huge pages are asked for at once: each time the kernel goes to every processor, and waits.
  static constexpr std::size_t stretch_bytes = 16 * huge_bytes;

  /// All pages are small.
  first_use() = default;
  /// Of private memory, which is mapped, can be written to, and was not used yet.
  explicit first_use(const contents& image);

  /// Gives pages to memory that is written next, all of it. Where there are none the kernel tries again when it is used.
  void prepare(const page_range& next) noexcept;

 private:
  void add(const page_range& held);
  void make_huge(page_range& stretch) noexcept;

  std::vector<page_range> huge_;         // ascending, whole huge pages; empty: was asked for
  bool gives_huge_ = true;               // the system
};

}  // namespace mana::image
