// Which of the program's pages were written to since the last checkpoint, as the kernel knows it.
#pragma once
#include <runtime/image/changes/change_source.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mana::image {

/// A device of this process that may write to memory past the page tables (RDMA, memory of others attached): its name, or
/// empty.
std::string foreign_writer();

/// By the best way that this kernel has.
///
/// INV-32 a page that is called unwritten has the contents of the last mark()
class change_tracker {
 public:
  change_tracker() noexcept;

  /// "page tables", "soft-dirty bits": how changes are found; empty: they are not.
  const std::string& way() const noexcept { return way_; }
  /// Why not in that way, or not in a better one; empty if it is the best that there is.
  const std::string& obstacle() const noexcept { return obstacle_; }

  /// As change_source has it; without a way, nothing is unwritten.
  std::vector<page_range> mark(std::span<const region> regions);

 private:
  template <class Source>
  bool begin(const char* way);

  std::unique_ptr<change_source> source_;
  std::string way_, obstacle_;
};

}  // namespace mana::image
