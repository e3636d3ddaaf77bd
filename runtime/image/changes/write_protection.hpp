// Changes by write protection in the page tables, which nobody is told of (userfaultfd's asynchronous mode, Linux 6.7), and
// which is asked for afterwards (PAGEMAP_SCAN). No privilege is needed.
#pragma once
#include <runtime/image/changes/change_source.hpp>

namespace mana::image {

/// What is mapped, moved or given back is a new mapping, which is not tracked, or has no page, which counts as written.
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
