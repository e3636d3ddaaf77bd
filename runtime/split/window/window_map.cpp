#include <runtime/split/window/window_map.hpp>

#include <sys/mman.h>

#include <algorithm>
#include <mutex>

namespace mana::split {
namespace {

constexpr std::size_t capacity = 1u << 18;   // larger than any sensible vm.max_map_count

constexpr std::uintptr_t align_up(std::uintptr_t a, std::size_t to) noexcept { return (a + to - 1) & ~(to - 1); }

}  // namespace

bool window_map::prepare() noexcept {
  if (ranges_ != nullptr) return true;
  const long at = raw_call(SYS_mmap, 0, capacity * sizeof(address_range), PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (is_error(at)) return false;
  ranges_ = reinterpret_cast<address_range*>(at);
  return true;
}

/// Index of the first range that ends after `address`.
std::size_t window_map::first_after(std::uintptr_t address) const noexcept {
  return static_cast<std::size_t>(
      std::partition_point(ranges_, ranges_ + count_, [=](const address_range& r) { return r.end <= address; }) -
      ranges_);
}

bool window_map::is_free(address_range r) const noexcept {
  const std::size_t i = first_after(r.begin);
  return zone_.contains(r) && (i == count_ || ranges_[i].begin >= r.end);
}

/// Replaces the ranges from..to by with[0..n).
bool window_map::replace(std::size_t from, std::size_t to, const address_range* with, std::size_t n) noexcept {
  if (count_ - (to - from) + n > capacity) return false;
  if (n > to - from) std::copy_backward(ranges_ + to, ranges_ + count_, ranges_ + count_ + (n - (to - from)));
  else std::copy(ranges_ + to, ranges_ + count_, ranges_ + from + n);
  std::copy(with, with + n, ranges_ + from);
  count_ = count_ - (to - from) + n;
  return true;
}

bool window_map::add(address_range r) noexcept {
  std::size_t from = first_after(r.begin);
  if (from > 0 && ranges_[from - 1].end == r.begin) --from;
  std::size_t to = from;
  while (to < count_ && ranges_[to].begin <= r.end) {
    r = {std::min(r.begin, ranges_[to].begin), std::max(r.end, ranges_[to].end)};
    ++to;
  }
  return replace(from, to, &r, 1);
}

std::uintptr_t window_map::choose(std::size_t bytes) noexcept {
  const std::scoped_lock hold(lock_);
  if (bytes == 0 || bytes > zone_.bytes() || !prepare()) return 0;
  bytes = page_ceil(bytes);
  const std::size_t alignment = bytes >= large_bytes ? large_bytes : page_bytes;
  std::uintptr_t at = align_up(zone_.begin, alignment);
  for (std::size_t i = 0; i < count_; ++i) {
    if (at <= ranges_[i].begin && ranges_[i].begin - at >= bytes) break;
    at = align_up(std::max(at, ranges_[i].end), alignment);
  }
  if (at > zone_.end || zone_.end - at < bytes) return 0;
  return add({at, at + bytes}) ? at : 0;
}

bool window_map::take_if_free(address_range r) noexcept {
  const std::scoped_lock hold(lock_);
  return prepare() && r.begin < r.end && is_free(r) && add(r);
}

bool window_map::take(address_range r) noexcept {
  const std::scoped_lock hold(lock_);
  r = {std::max(r.begin, zone_.begin), std::min(r.end, zone_.end)};
  return r.begin >= r.end || (prepare() && add(r));
}

bool window_map::release(address_range r) noexcept {
  const std::scoped_lock hold(lock_);
  if (ranges_ == nullptr || r.begin >= r.end) return true;
  const std::size_t from = first_after(r.begin);
  std::size_t to = from;
  address_range rest[2];
  std::size_t n = 0;
  for (; to < count_ && ranges_[to].begin < r.end; ++to) {
    const address_range old = ranges_[to];
    if (old.begin < r.begin) rest[n++] = {old.begin, r.begin};
    if (old.end > r.end) rest[n++] = {r.end, old.end};
  }
  return replace(from, to, rest, n);
}

bool window_map::touches(address_range r) noexcept {
  const std::scoped_lock hold(lock_);
  const std::size_t i = first_after(r.begin);
  return r.begin < r.end && i < count_ && ranges_[i].begin < r.end;
}

address_range window_map::next_taken(address_range r) noexcept {
  const std::scoped_lock hold(lock_);
  const std::size_t i = first_after(r.begin);
  if (i == count_ || ranges_[i].begin >= r.end) return {r.end, r.end};
  return {std::max(r.begin, ranges_[i].begin), std::min(r.end, ranges_[i].end)};
}

void window_map::clear() noexcept {
  const std::scoped_lock hold(lock_);
  count_ = 0;
}

}  // namespace mana::split
