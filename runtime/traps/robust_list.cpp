#include "robust_list.hpp"

#include "../loader/raw.hpp"

#include <linux/futex.h>

namespace mana::split {
namespace {

constexpr int longest_list = 2048;   // the kernel's ROBUST_LIST_LIMIT: a list may be circular by mistake

void release(std::uintptr_t word, std::int32_t tid) noexcept {
  auto& lock = *reinterpret_cast<std::atomic<std::uint32_t>*>(word);
  std::uint32_t seen = lock.load();
  while ((seen & FUTEX_TID_MASK) == static_cast<std::uint32_t>(tid)) {
    if (!lock.compare_exchange_weak(seen, (seen & FUTEX_WAITERS) | FUTEX_OWNER_DIED)) continue;
    if ((seen & FUTEX_WAITERS) != 0) raw_call(SYS_futex, static_cast<long>(word), FUTEX_WAKE, 1);
    return;
  }
}

/// The lowest bit marks a lock with priority inheritance.
std::uintptr_t entry(const robust_list* p) noexcept { return reinterpret_cast<std::uintptr_t>(p) & ~std::uintptr_t{1}; }

/// Glibc's robust mutexes have the owner once more, behind the lock and a count.
void renumber(std::uintptr_t word, std::int32_t before, std::int32_t now) noexcept {
  constexpr std::uintptr_t owner_after = 8;    // bytes
  auto& lock = *reinterpret_cast<std::atomic<std::uint32_t>*>(word);
  auto& owner = *reinterpret_cast<std::atomic<std::int32_t>*>(word + owner_after);
  if ((lock.load() & FUTEX_TID_MASK) != static_cast<std::uint32_t>(before)) return;
  lock.store((lock.load() & ~std::uint32_t{FUTEX_TID_MASK}) | static_cast<std::uint32_t>(now));
  if (owner.load() == before) owner.store(now);
}

/// Calls f with the address of each lock's futex word, that of the lock which is being taken or released last.
template <class F>
void for_each_lock(std::uint64_t address, F&& f) noexcept {
  if (address == 0) return;
  const auto& head = *reinterpret_cast<const robust_list_head*>(address);
  const auto offset = static_cast<std::uintptr_t>(head.futex_offset);
  const std::uintptr_t pending = entry(head.list_op_pending);
  std::uintptr_t at = entry(head.list.next);
  for (int n = 0; n < longest_list && at != address; ++n) {
    const std::uintptr_t next = entry(reinterpret_cast<const robust_list*>(at)->next);
    if (at != pending) f(at + offset);
    at = next;
  }
  if (pending != 0) f(pending + offset);
}

}  // namespace

void release_robust_list(std::uint64_t head, std::int32_t tid) noexcept {
  for_each_lock(head, [tid](std::uintptr_t word) { release(word, tid); });
}

void renumber_robust_list(std::uint64_t head, std::int32_t before, std::int32_t now) noexcept {
  for_each_lock(head, [=](std::uintptr_t word) { renumber(word, before, now); });
}

}  // namespace mana::split
