// Finds changes by write protection in the page tables. userfaultfd's asynchronous mode (Linux 6.7) notifies nobody;
// PAGEMAP_SCAN reports the changes afterwards. No privilege is needed.
#pragma once
#include <runtime/image/changes/change_source.hpp>

namespace mana::image {

/// Memory that was mapped, moved or given back is in a new mapping, which is not tracked, or has no page. Both count as
/// written.
class write_protection final : public change_source {
 public:
  /// errors: std::runtime_error: why this kernel cannot
  write_protection();
  ~write_protection() override;

  std::vector<page_range> mark(std::span<const region> regions) override;

 private:
  bool track(const region& r) noexcept;
  void find_unwritten(const region& r, std::vector<page_range>& found) const;
  bool protect(const region& r) const noexcept;

  int fault_fd_ = -1, pagemap_ = -1;
};

}  // namespace mana::image
