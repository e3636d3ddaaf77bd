// The pages that the program has written to since the last checkpoint, as the kernel reports them.
#pragma once
#include <runtime/image/changes/change_source.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace mana::image {

/// The name of a device of this process that may write to memory past the page tables (RDMA, attached memory of other
/// processes). Empty: there is none.
std::string foreign_writer();

/// Uses the best way that this kernel has.
///
/// INV-32 a page that is called unwritten has the contents of the last mark()
class change_tracker {
 public:
  change_tracker() noexcept;

  /// How changes are found: "page tables" or "soft-dirty bits". Empty: they are not found.
  const std::string& way() const noexcept { return way_; }
  /// Why this way, or a better one, cannot be used. Empty: the best way is in use.
  const std::string& obstacle() const noexcept { return obstacle_; }

  /// As change_source::mark(). Without a way, no page counts as unwritten.
  std::vector<page_range> mark(std::span<const region> regions);

 private:
  template <class Source>
  bool begin(const char* way);

  std::unique_ptr<change_source> source_;
  std::string way_, obstacle_;
};

}  // namespace mana::image
