// The tree of processes through which ranks speak with the coordinator. A process that has children runs a relay; the
// first runs the coordinator.
#pragma once
#include <mana/clock/ranks.hpp>

namespace mana::clock {

/// The most children of a process. docs/clock_scale.md gives the reason for this number.
inline constexpr int default_fan_out = 16;

/// Below the least the tree would be a chain; above the most no process has enough descriptors.
inline constexpr int least_fan_out = 2, most_fan_out = 1 << 16;
constexpr bool is_fan_out(int k) noexcept { return least_fan_out <= k && k <= most_fan_out; }

/// The ranges behind the links of process all.first: itself, and each child with all ranks below it. The children share
/// the rest as evenly as possible. A process without children has its own range only.
inline std::vector<rank_range> links_of(rank_range all, int fan_out) {
  std::vector<rank_range> links{{all.first, all.first + 1}};
  const int left = all.size() - 1, parts = std::min(left, fan_out);
  for (int i = 0, at = all.first + 1; i < parts; ++i) {
    const int size = left / parts + (i < left % parts ? 1 : 0);
    links.push_back({at, at + size});
    at += size;
  }
  return links;
}

struct place {
  int parent = -1;   // process; -1: it is the first
  rank_range range;  // of the process and all below it
};
inline place place_of(int process, int ranks, int fan_out) {
  place at{-1, {0, ranks}};
  while (at.range.first != process)
    for (const rank_range& link : links_of(at.range, fan_out))
      if (link.has(process)) {
        at = {at.range.first, link};
        break;
      }
  return at;
}

}  // namespace mana::clock
