// A way in which the kernel knows what was written to.
#pragma once
#include <runtime/image/format/regions.hpp>

#include <span>
#include <vector>

namespace mana::image {

class change_source {
 public:
  change_source() = default;
  virtual ~change_source() = default;
  change_source(const change_source&) = delete;
  change_source& operator=(const change_source&) = delete;

  /// From now on, writes to the regions that can be tracked are noted. Nobody writes to them meanwhile.
  /// out: ascending: where nothing was written since the last mark(). At the first none.
  virtual std::vector<page_range> mark(std::span<const region> regions) = 0;
};

/// Memory that shows a file may change with it, and others write to what is shared.
inline bool is_private_memory(const region& r) noexcept { return !r.shared && !(r.is_file && !r.path.empty()); }

inline void append_range(std::vector<page_range>& ranges, const page_range& next) {
  if (!ranges.empty() && ranges.back().end == next.begin) ranges.back().end = next.end;
  else ranges.push_back(next);
}

}  // namespace mana::image
