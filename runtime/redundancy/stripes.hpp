// Assigns blocks to stripes.
//
// There are n members, of which m may be lost. Each member has n blocks: n-m of its image, numbered from 0, and after
// them m of parity. A stripe has one block of every member and each number once: n-m of data, and m of parity computed
// from these. So if m members are lost, every stripe loses at most m blocks.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <runtime/redundancy/parity_layout.hpp>

namespace mana::redundancy {

struct stripes {
  unsigned members;      // n; also stripes, and blocks of a member
  unsigned parity;       // m

  unsigned data() const noexcept { return members - parity; }
  unsigned holder(unsigned stripe, unsigned block) const noexcept { return (stripe + block + parity) % members; }
  unsigned stripe_of(unsigned member, unsigned block) const noexcept {
    return (member + 2 * members - block - parity) % members;
  }
};

/// The least number of bytes, in whole pages and at least one, so that the largest image fits into `data` blocks.
inline std::uint64_t block_bytes_for(std::uint64_t largest_image, unsigned data) noexcept {
  const std::uint64_t least = largest_image / data + (largest_image % data != 0);
  return std::max<std::uint64_t>(1, least / page_bytes + (least % page_bytes != 0)) * page_bytes;
}

/// Bytes that the code processes at a time. A member's 2m+1 buffers of this size fit into the cache of a core, which
/// makes the code more than twice as fast.
inline std::size_t piece_bytes_for(unsigned parity, std::uint64_t block_bytes) noexcept {
  constexpr std::size_t unit = 64u << 10, all = 5u << 18, most = 1u << 20;
  const std::size_t bytes = std::min(most, all / (2 * parity + 1) / unit * unit);
  return static_cast<std::size_t>(std::min<std::uint64_t>(bytes, block_bytes));
}

}  // namespace mana::redundancy
