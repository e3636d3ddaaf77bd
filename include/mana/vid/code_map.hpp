// Maps the bits of predefined handles to codes and back. Only the running program knows these bits, and nearly every
// call looks them up: one multiplication and one load in either direction.
#pragma once
#include <mana/lower/neutral.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace mana::vid {

/// INV-19 predefined handles stand in the very slot that their hash names, and so does each pair of bits. If the slot
/// of a new pair is taken, the hash function changes for all pairs.
class code_map {
 public:
  /// in: code  not 0, below neutral::predefined_limit. If several codes have the same bits, the first one counts.
  void add(std::uint32_t code, std::uint64_t bits) noexcept {
    if (!known_[code]) bits_of_[code] = bits;
    known_[code] = true;
    if (this->code(bits) != 0) return;
    pairs_[n_++] = {bits, code};
    while (!place(n_ - 1)) replace_all();
  }
  /// out: 0 for bits that were not added
  std::uint32_t code(std::uint64_t bits) const noexcept {
    const pair& p = slots_[slot_of(bits)];
    return p.bits == bits ? p.code : 0;      // an empty slot has code 0, whatever its bits
  }
  std::uint64_t bits(std::uint32_t code) const noexcept {
    return bits_of_[std::min(code, neutral::predefined_limit - 1)];
  }

 private:
  struct pair { std::uint64_t bits; std::uint32_t code; };
  static constexpr unsigned log_slots = 10;
  // of one kind; for the 76 datatypes one multiplier in sixteen has no collision
  static constexpr std::size_t most = 128;

  std::size_t slot_of(std::uint64_t bits) const noexcept { return (bits * multiplier_) >> (64 - log_slots); }
  bool place(std::size_t i) noexcept {
    pair& at = slots_[slot_of(pairs_[i].bits)];
    if (at.code != 0) return false;
    at = pairs_[i];
    return true;
  }
  /// Places all pairs except the last, with a multiplier under which they do not collide.
  void replace_all() noexcept {
    for (std::size_t placed = 0; placed + 1 < n_;) {
      multiplier_ = multiplier_ * 6364136223846793005u + 1442695040888963407u;
      std::fill(std::begin(slots_), std::end(slots_), pair{});
      for (placed = 0; placed + 1 < n_ && place(placed); ++placed) {}
    }
  }

  std::uint64_t multiplier_ = 0x9e37'79b9'7f4a'7c15u;
  pair slots_[std::size_t{1} << log_slots] = {};
  pair pairs_[most] = {};
  std::size_t n_ = 0;
  std::uint64_t bits_of_[neutral::predefined_limit] = {};
  bool known_[neutral::predefined_limit] = {};
};

}  // namespace mana::vid
