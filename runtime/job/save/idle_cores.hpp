// The cores that a rank may use and leaves idle.
#pragma once
#include <algorithm>
#include <cstddef>

namespace mana::job {

/// With more threads, the thread that writes is busy with copying.
inline constexpr std::size_t most_packing = 16;

/// The number of threads that pack. A rank gets its share of the cores that the ranks of its node may use. If the
/// program waits for its image, all of them are idle; if it runs meanwhile, its threads keep theirs.
/// in:  cores  of the node, that any of its ranks may use
///      own    that the writing thread may use: the program may have bound it
///      busy   threads of the program that run meanwhile
/// out: 1 … most_packing
constexpr unsigned packing_share(int cores, int ranks, int own, std::size_t busy) noexcept {
  const auto share = static_cast<std::size_t>(std::max(std::min(cores / std::max(ranks, 1), own), 0));
  return static_cast<unsigned>(std::clamp<std::size_t>(share > busy ? share - busy : 0, 1, most_packing));
}

}  // namespace mana::job
