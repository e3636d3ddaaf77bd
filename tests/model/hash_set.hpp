// The states that were seen, by hash: an open-addressing table.
#pragma once
#include "bytes.hpp"

namespace clock_model {

/// Two states of one hash are taken for one. With 128 bits and 10^9 states, that happens once in 10^20 runs.
class hash_set {
 public:
  hash_set() : slots_(1 << 10) {}

  /// out: it was not there
  bool insert(hash128 h) {
    if (h == hash128{}) h.low = 1;             // a free slot is 0
    if (10 * (size_ + 1) > 7 * slots_.size()) grow();
    hash128& slot = slots_[place(h)];
    if (slot == h) return false;
    slot = h;
    ++size_;
    return true;
  }
  bool contains(hash128 h) const {
    if (h == hash128{}) h.low = 1;
    return slots_[place(h)] == h;
  }
  std::size_t size() const noexcept { return size_; }
  void clear() {
    size_ = 0;
    slots_.assign(std::min<std::size_t>(slots_.size(), 1 << 14), hash128{});
  }

 private:
  std::size_t place(const hash128& h) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t at = h.low & mask;
    while (slots_[at] != hash128{} && slots_[at] != h) at = (at + 1) & mask;
    return at;
  }
  void grow() {
    std::vector<hash128> old(2 * slots_.size());
    old.swap(slots_);
    for (const hash128& h : old)
      if (h != hash128{}) slots_[place(h)] = h;
  }

  std::vector<hash128> slots_;
  std::size_t size_ = 0;
};

}  // namespace clock_model
