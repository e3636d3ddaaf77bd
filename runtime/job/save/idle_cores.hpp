// The cores that a rank may use and does not.
#pragma once
#include <algorithm>
#include <cstddef>

namespace mana::job {

/// More threads than this find the one that writes busy with copying.
inline constexpr std::size_t most_packing = 16;

/// Threads for packing: a rank has its share of the cores that the ranks of its node may use. All of them are idle
/// while the program waits for its image; while it runs on, its threads have theirs.
/// in:  cores  of the node's, that any of its ranks may use
///      own    that the thread which writes may use: a program may have bound it
///      busy   threads of the program that run meanwhile
/// out: 1 … most_packing
constexpr unsigned packing_share(int cores, int ranks, int own, std::size_t busy) noexcept {
  const auto share = static_cast<std::size_t>(std::max(std::min(cores / std::max(ranks, 1), own), 0));
  return static_cast<unsigned>(std::clamp<std::size_t>(share > busy ? share - busy : 0, 1, most_packing));
}

}  // namespace mana::job
