// A way to ask the kernel which pages were written to.
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

  /// Notes all writes to the trackable regions from now on. Nobody may write to them during the call.
  /// out: ascending: the ranges without a write since the last mark(). The first call returns none.
  virtual std::vector<page_range> mark(std::span<const region> regions) = 0;
};

/// A private mapping of a file may change with the file. Other processes write to shared memory.
inline bool is_private_memory(const region& r) noexcept { return !r.shared && !(r.is_file && !r.path.empty()); }

inline void append_range(std::vector<page_range>& ranges, const page_range& next) {
  if (!ranges.empty() && ranges.back().end == next.begin) ranges.back().end = next.end;
  else ranges.push_back(next);
}

}  // namespace mana::image
