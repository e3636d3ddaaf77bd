// The kernel's mappings in a range. Makes calls piece by piece that the kernel carries out on one mapping only.
//
// INV-48 mremap treats memory that the program mapped as one mapping as one, and if it fails, the old memory is where
// it was. The kernel may have any number of mappings there.
#pragma once
#include <runtime/split/window/kernel_mappings.hpp>

#include <algorithm>
#include <cstddef>

namespace mana::split {

constexpr address_range common(address_range a, address_range b) noexcept {
  const std::uintptr_t begin = std::max(a.begin, b.begin);
  return {begin, std::max(begin, std::min(a.end, b.end))};
}

/// The mappings in a range, valid while no call changes them.
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
  bool is_alike = true;        // all mappings have it
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

/// The mappings of a range, ascending, a few at a time. The caller may change the ones it got before it asks for the
/// next.
class pieces {
 public:
  explicit pieces(address_range all) noexcept : all_(all), at_(all.begin) {}

  struct piece { address_range range; int protection; };

  /// out: the number of pieces found
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

/// Moves the mappings in `old` to `to`. If `to` is longer, the last mapping grows by the difference; `to` may also be
/// shorter. Does what mremap with MREMAP_FIXED does for one mapping, and from Linux 6.17 on for several.
/// in:     keeps_old  MREMAP_DONTUNMAP
/// errors: -errno; `old` is unchanged, but earlier mappings at `to` may be gone
long move_by_pieces(address_range old, address_range to, bool keeps_old) noexcept;

/// Grows the last mapping of `old` in place by `more` bytes.     errors: -errno; nothing was changed
long grow_last_piece(address_range old, std::size_t more) noexcept;

}  // namespace mana::split
