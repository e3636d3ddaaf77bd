#include <runtime/split/threads/robust_list.hpp>

#include <runtime/split/window/raw.hpp>

#include <linux/futex.h>

namespace mana::split {
namespace {

constexpr int longest_list = 2048;   // the kernel's ROBUST_LIST_LIMIT: a list may be circular by mistake

/// out: false if there is no such lock; the kernel gives up at it
bool release(const program_memory& memory, std::uintptr_t word, std::int32_t tid) noexcept {
  if (word % sizeof(std::uint32_t) != 0) return false;
  std::uint32_t seen = 0;
  if (memory.read(&seen, word, sizeof seen) != sizeof seen) return false;
  while ((seen & FUTEX_TID_MASK) == static_cast<std::uint32_t>(tid)) {
    switch (memory.exchange(word, seen, (seen & FUTEX_WAITERS) | FUTEX_OWNER_DIED)) {
      case exchanged::no_memory: return false;
      case exchanged::differs: continue;
      case exchanged::done: break;
    }
    if ((seen & FUTEX_WAITERS) != 0) raw_call(SYS_futex, static_cast<long>(word), FUTEX_WAKE, 1);
    break;
  }
  return true;
}

/// The lowest bit marks a lock with priority inheritance.
std::uintptr_t entry(const robust_list* p) noexcept { return reinterpret_cast<std::uintptr_t>(p) & ~std::uintptr_t{1}; }

/// Glibc's robust mutexes store the owner again, behind the lock and a count.
bool renumber(const program_memory& memory, std::uintptr_t word, std::int32_t before, std::int32_t now) noexcept {
  constexpr std::uintptr_t owner_after = 8;    // bytes
  std::uint32_t lock = 0;
  std::int32_t owner = 0;
  if (memory.read(&lock, word, sizeof lock) != sizeof lock) return false;
  if ((lock & FUTEX_TID_MASK) != static_cast<std::uint32_t>(before)) return true;
  lock = (lock & ~std::uint32_t{FUTEX_TID_MASK}) | static_cast<std::uint32_t>(now);
  if (memory.write(word, &lock, sizeof lock) != sizeof lock) return false;
  if (memory.read(&owner, word + owner_after, sizeof owner) == sizeof owner && owner == before)
    memory.write(word + owner_after, &now, sizeof now);
  return true;
}

/// Calls f with the address of each lock's futex word; last comes the lock that is being taken or released. Stops as
/// the kernel does, at unreadable memory or if f returns false.
template <class F>
void for_each_lock(const program_memory& memory, std::uint64_t address, F&& f) noexcept {
  robust_list_head head{};
  if (address == 0 || memory.read(&head, address, sizeof head) != sizeof head) return;
  const auto offset = static_cast<std::uintptr_t>(head.futex_offset);
  const std::uintptr_t pending = entry(head.list_op_pending);
  std::uintptr_t at = entry(head.list.next);
  for (int n = 0; n < longest_list && at != address; ++n) {
    robust_list here{};
    const bool is_there = memory.read(&here, at, sizeof here) == sizeof here;  // before f releases it
    if (at != pending && !f(at + offset)) return;
    if (!is_there) return;
    at = entry(here.next);
  }
  if (pending != 0) f(pending + offset);
}

}  // namespace

void release_robust_list(const program_memory& memory, std::uint64_t head, std::int32_t tid) noexcept {
  for_each_lock(memory, head, [&](std::uintptr_t word) { return release(memory, word, tid); });
}

void renumber_robust_list(const program_memory& memory, std::uint64_t head, std::int32_t before,
                          std::int32_t now) noexcept {
  for_each_lock(memory, head, [&](std::uintptr_t word) { return renumber(memory, word, before, now); });
}

}  // namespace mana::split
