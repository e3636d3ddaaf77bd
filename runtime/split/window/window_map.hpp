// The taken addresses of a zone, and the place of the next mapping. Always exact: a trap makes every mapping of the
// upper half, and updates this map before it maps and after it unmaps.
#pragma once
#include <runtime/split/window/raw.hpp>

#include <cstddef>
#include <cstdint>

namespace mana::split {

inline constexpr std::size_t page_bytes = 4096;
inline constexpr std::size_t large_bytes = 2u << 20;   // larger requests start at a multiple of this size

constexpr std::uintptr_t page_floor(std::uintptr_t a) noexcept { return a & ~(page_bytes - 1); }
constexpr std::uintptr_t page_ceil(std::uintptr_t a) noexcept { return (a + page_bytes - 1) & ~(page_bytes - 1); }

struct address_range {
  std::uintptr_t begin, end;   // bytes, whole pages; end is outside
  constexpr std::size_t bytes() const noexcept { return end - begin; }
  constexpr bool contains(address_range r) const noexcept { return begin <= r.begin && r.end <= end; }
  friend constexpr bool operator==(const address_range&, const address_range&) noexcept = default;
};

/// A set of taken ranges within `zone`, sorted, with neighbours joined. Thread-safe; callers must have all signals
/// blocked. Never calls malloc: a trap may come from a handler that interrupted the lower half's malloc.
class window_map {
 public:
  explicit constexpr window_map(address_range zone) noexcept : zone_(zone) {}
  window_map(const window_map&) = delete;
  window_map& operator=(const window_map&) = delete;

  address_range zone() const noexcept { return zone_; }

  /// Takes the first gap of `bytes`, rounded up to pages (2 MiB alignment for large ones).     out: 0: no room
  std::uintptr_t choose(std::size_t bytes) noexcept;
  /// Takes exactly `r` if all of it is free.
  bool take_if_free(address_range r) noexcept;
  /// Takes `r`, whether or not parts were taken. Ignores parts outside the zone.     out: false: no room in the arena
  bool take(address_range r) noexcept;
  /// Frees `r`, whether or not parts were free.
  bool release(address_range r) noexcept;
  /// Whether any of `r` is taken.
  bool touches(address_range r) noexcept;
  /// The first part of `r` that is taken; of 0 bytes: none is.
  address_range next_taken(address_range r) noexcept;
  /// Forgets everything.
  void clear() noexcept;

  std::size_t range_count() const noexcept { return count_; }
  address_range range(std::size_t i) const noexcept { return ranges_[i]; }

  /// Around fork, so that the child's copy is complete.
  void lock() noexcept { lock_.lock(); }
  void unlock() noexcept { lock_.unlock(); }

 private:
  bool prepare() noexcept;
  bool is_free(address_range r) const noexcept;
  std::size_t first_after(std::uintptr_t address) const noexcept;
  bool replace(std::size_t from, std::size_t to, const address_range* with, std::size_t n) noexcept;
  bool add(address_range r) noexcept;

  address_range zone_;
  address_range* ranges_ = nullptr;   // an arena of its own: address space for the kernel's greatest number of mappings
  std::size_t count_ = 0;
  raw_lock lock_;
};

}  // namespace mana::split
