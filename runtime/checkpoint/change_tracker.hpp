// Which of the program's pages were written to since the last checkpoint, as the kernel knows it.
#pragma once
#include "regions.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace mana::image {

/// A device of this process that may write to memory past the page tables (RDMA, memory of others attached): its name, or
/// empty.
std::string foreign_writer();

/// Private anonymous memory is write-protected in the page tables without anybody being told of the writes (userfaultfd's
/// asynchronous mode, Linux 6.7), and asked for afterwards (PAGEMAP_SCAN). No privilege is needed.
///
/// INV-32 a page that is called unwritten has the contents of the last mark(): what is mapped, moved or given back is a new
/// mapping, which is not tracked, or has no page, which counts as written.
class change_tracker {
 public:
  change_tracker() noexcept;
  ~change_tracker();
  change_tracker(const change_tracker&) = delete;
  change_tracker& operator=(const change_tracker&) = delete;

  /// Empty if this kernel, and what is attached to this process, let pages be tracked; else why they cannot be.
  const std::string& obstacle() const noexcept { return obstacle_; }

  /// From now on, writes to the regions that can be tracked are noted. Nobody writes to them meanwhile.
  /// out: ascending: where nothing was written since the last mark(). At the first none.
  std::vector<page_range> mark(std::span<const region> regions);

 private:
  void begin();
  bool track(const region& r) noexcept;
  void find_unwritten(const region& r, std::vector<page_range>& found) const;
  bool protect(const region& r) const noexcept;

  int fault_fd_ = -1, pagemap_ = -1;
  std::string obstacle_;
};

}  // namespace mana::image
