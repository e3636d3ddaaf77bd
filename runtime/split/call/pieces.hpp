// The kernel's mappings in a range, and calls that the kernel carries out on one mapping only, made piece by piece.
//
// INV-48 mremap takes what the program made as one mapping as one, however many the kernel has there; and if it fails, the old
// memory is where it was.
#pragma once
#include <runtime/split/window/kernel_mappings.hpp>

#include <algorithm>
#include <cstddef>

namespace mana::split {

constexpr address_range common(address_range a, address_range b) noexcept {
  const std::uintptr_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// What lies in a range, for as long as no call changes it.
struct survey {
  explicit survey(address_range wanted) noexcept : wanted(wanted), next(wanted.begin), last{wanted.begin, wanted.begin} {
    is_known = each_mapping([this](const kernel_mapping& m) { look(m); });
  }

  bool is_whole() const noexcept { return is_known && count > 0 && next == wanted.end; }

  address_range wanted;
  std::uintptr_t next;         // all of [wanted.begin, next) is mapped
  address_range last;          // the part of the last mapping that is in the range
  std::size_t count = 0;
  int protection = 0;          // of the first mapping
  bool is_alike = true;        // all have that
  bool is_known;               // the mappings could be read

 private:
  void look(const kernel_mapping& m) noexcept {
    const address_range part = common(m.range, wanted);
    if (part.bytes() == 0) return;
    if (count++ == 0) protection = m.protection;
    is_alike = is_alike && protection == m.protection;
    if (m.range.begin <= next) next = std::max(next, part.end);
    last = part;
  }
};

/// The mappings of a range, ascending, a few at a time: what was returned may be changed before the next are asked for.
class pieces {
 public:
  explicit pieces(address_range all) noexcept : all_(all), at_(all.begin) {}

  struct piece { address_range range; int protection; };

  /// out: how many
  std::size_t next(piece* found, std::size_t most) noexcept {
    std::size_t n = 0;
    const std::uintptr_t from = at_;
    each_mapping([&](const kernel_mapping& m) {
      const address_range part = common(m.range, {from, all_.end});
      if (part.bytes() == 0 || n == most) return;
      found[n++] = {part, m.protection};
      at_ = part.end;
    });
    return n;
  }

 private:
  address_range all_;
  std::uintptr_t at_;
};

/// Moves what is mapped in `old` to `to`, which is longer by what the last mapping is to grow by, or shorter; as mremap with
/// MREMAP_FIXED does with one mapping, and from Linux 6.17 on with several.
/// in:     keeps_old  MREMAP_DONTUNMAP
/// errors: -errno; `old` is as it was, and what there was at `to` may be gone
long move_by_pieces(address_range old, address_range to, bool keeps_old) noexcept;

/// Grows the last mapping of `old` by `more` bytes, where it is.     errors: -errno; nothing was changed
long grow_last_piece(address_range old, std::size_t more) noexcept;

}  // namespace mana::split
